import { z } from 'zod';
import type { WaitingFilter } from '../../kernel/db/waiting';
import { currency } from '../../kernel/wire/schemas';
import type { PageOfList } from './list';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `2h`, `3d`. Parsed to milliseconds. */
const age = () =>
  z
    .string()
    .regex(/^\d{1,6}[smhd]$/, 'must be an age such as 30m, 2h or 3d')
    .transform((text) => Number(text.slice(0, -1)) * UNIT_MS[text.at(-1) as keyof typeof UNIT_MS])
    .meta({ type: 'string', examples: ['2h'] });

const own = {
  client: z.string().max(200).optional().meta({ description: 'Id of the tenant.' }),
  olderThan: age().optional().meta({ description: 'Only rows that have waited for longer.' }),
};
const further = { kind: z.string().max(100).optional(), currency: currency().optional() };

/** The filters of a list of waiting records. @param more which of the further filters of the list there are */
export function waitingFilters({ kind, currency: byCurrency }: { kind?: string; currency?: true } = {}) {
  const shape = {
    ...own,
    ...(kind === undefined ? {} : { kind: further.kind.meta({ description: kind }) }),
    ...(byCurrency ? { currency: further.currency } : {}),
  };
  return z.object(shape as typeof own & typeof further);
}

type WaitingFilters = z.output<ReturnType<typeof waitingFilters>>;

/** The filter of `waitingPage` (src/kernel/db/waiting.ts) for a page of a list with {@link waitingFilters}. */
export function waitingFilterOf(
  { filters, after, limit }: PageOfList<WaitingFilters>,
  now: Date,
): WaitingFilter {
  const { client: tenantId, kind, currency: code, olderThan } = filters;
  const before = olderThan === undefined ? undefined : new Date(now.getTime() - olderThan);
  return { tenantId, kind, currency: code, before, after, limit };
}
