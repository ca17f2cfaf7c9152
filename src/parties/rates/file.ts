import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import type { Decimal } from '../../kernel/money/money';
import { StartupError } from '../../kernel/startup-error';
import { faultOf, quotedAround } from './bid-ask';
import type { RateSource } from './port';
import { rateRow } from './protocol';
import type { Quoted } from './snapshot';

/**
 * A row is a bid and an ask, or one number between both. Every row must be right, because nobody corrects a file later.
 */
const table = z.strictObject({
  base: z.string().refine(isCurrency, 'must be a known currency'),
  asOf: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .optional(),
  rates: z.record(
    z.string().refine(isCurrency, 'must be a known currency'),
    z.union([z.strictObject(rateRow.shape), rateRow.shape.bid]),
  ),
});

export interface RatesFileOptions {
  path: string;
  /** Spread on either side of a row with one number. */
  halfSpreadBps: Decimal;
  now: () => Date;
}

/**
 * A fixed table of rates, read once as the process starts. Its time is `asOf`, or else the file's last change.
 * @throws StartupError naming the fault
 */
export function createFileRates({ path, halfSpreadBps, now }: RatesFileOptions): RateSource {
  const { base, asOf = changedAt(path, now()), rates: rows } = parsed(path);
  const wrong = (what: string) => new StartupError(`RATES_FILE: ${path}: ${what}`);
  if (asOf > now()) throw wrong('asOf lies in the future');
  if (rows[base] !== undefined) throw wrong(`${base} is the base and must have no row`);
  const rates = new Map<string, Quoted>();
  for (const [currency, row] of Object.entries(rows)) {
    const quoted = 'bid' in row ? row : quotedAround(row, halfSpreadBps);
    const fault = faultOf(quoted);
    if (fault) throw wrong(`${currency} is ${fault === 'crossed' ? 'a bid above its ask' : 'not positive'}`);
    rates.set(currency, quoted);
  }
  if (rates.size === 0) throw wrong('rates is empty');
  return { read: () => Promise.resolve({ snapshot: { base, asOf, rates }, dropped: [] }) };
}

function parsed(path: string): z.output<typeof table> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new StartupError(`RATES_FILE: ${path} cannot be read: ${(error as Error).message}`);
  }
  const read = table.safeParse(content);
  if (read.success) return read.data;
  const lines = read.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  throw new StartupError(`RATES_FILE: ${path}: ${lines.join('; ')}`);
}

/** At most the present time, because the clock may have been ahead when the file was written. */
const changedAt = (path: string, now: Date): Date =>
  new Date(Math.min(statSync(path).mtimeMs, now.getTime()));
