import type { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { type AdapterOptions, partyClient } from '../protocol/client';
import { faultOf } from './bid-ask';
import { type DroppedRate, type RateSource, type ReadRates, UnreadableRates } from './port';
import { rateRow, ratesAnswer } from './protocol';
import type { Quoted } from './snapshot';

/** Time-out of one request, short because a price may wait for the first answer. */
const TIMEOUT_MS = 5_000;

/** Adapter of the rates party: `GET /rates` returns all rates of one moment, against one base. */
export function createHttpRates(options: AdapterOptions): RateSource {
  const client = partyClient({ timeoutMs: TIMEOUT_MS, ...options });
  return {
    async read() {
      const parsed = ratesAnswer.safeParse(await client.get('/rates'));
      if (!parsed.success) throw new UnreadableRates();
      return readRates(parsed.data);
    },
  };
}

/** Skips unknown currencies, and the base, whose row could only contradict it. */
function readRates({ base, asOf, rates }: z.output<typeof ratesAnswer>): ReadRates {
  const read = new Map<string, Quoted>();
  const dropped: DroppedRate[] = [];
  for (const [currency, row] of Object.entries(rates)) {
    if (!isCurrency(currency) || currency === base) continue;
    const quoted = quotedIn(row);
    if (typeof quoted === 'string') dropped.push({ currency, reason: quoted });
    else read.set(currency, quoted);
  }
  return { snapshot: { base, asOf, rates: read }, dropped };
}

function quotedIn(row: unknown): Quoted | DroppedRate['reason'] {
  const parsed = rateRow.safeParse(row);
  if (!parsed.success) return 'unreadable';
  return faultOf(parsed.data) ?? parsed.data;
}
