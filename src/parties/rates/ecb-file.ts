import { isCurrency } from '../../kernel/money/currencies';
import { DECIMAL_TEXT, Decimal } from '../../kernel/money/money';
import { quotedAround } from './bid-ask';
import { type DroppedRate, type ReadRates, UnreadableRates } from './port';
import type { Quoted } from './snapshot';

/**
 * The ECB's euro reference rates of a day, `eurofxref-daily.xml`: one envelope with one day, with each currency's units
 * for one euro. The parser accepts only this fixed format, not XML in general. Entities, declarations, comments and
 * other elements make a file unreadable.
 */
const ENVELOPE =
  /^\uFEFF?<\?xml version=(["'])1\.0\1 encoding=(["'])UTF-8\2\?>\s*<gesmes:Envelope( xmlns(:gesmes)?=(["'])[\w:/.-]+\5)*>\s*<gesmes:subject>[^<&]*<\/gesmes:subject>\s*<gesmes:Sender>\s*<gesmes:name>[^<&]*<\/gesmes:name>\s*<\/gesmes:Sender>\s*<Cube>\s*<Cube time=(["'])(?<day>\d{4}-\d\d-\d\d)\6>(?<rows>[^&]*)<\/Cube>\s*<\/Cube>\s*<\/gesmes:Envelope>\s*$/;

const ROW = /\s*<Cube currency=(["'])(?<currency>[A-Z]{3})\1 rate=(["'])(?<units>[^"'<>]*)\3\s*\/>\s*/y;

export const ECB_BASE = 'EUR';

/**
 * Reads the ECB's file of a day.
 * @param halfSpreadBps spread on either side, because the file has one number for each currency
 * @returns rates of the start of the file's day, in UTC
 * @throws UnreadableRates
 */
export function readEcbFile(text: string, halfSpreadBps: Decimal): ReadRates {
  const { day, rows } = ENVELOPE.exec(text)?.groups ?? {};
  if (day === undefined || rows === undefined) throw new UnreadableRates();
  const read = new Map<string, Quoted>();
  const dropped: DroppedRate[] = [];
  for (const [currency, units] of unitsIn(rows)) {
    if (!isCurrency(currency) || currency === ECB_BASE) continue;
    const reason = faultIn(units);
    if (reason) dropped.push({ currency, reason });
    else read.set(currency, quotedAround(new Decimal(1).dividedBy(units), halfSpreadBps));
  }
  return { snapshot: { base: ECB_BASE, asOf: beginningOf(day), rates: read }, dropped };
}

/**
 * Each row's currency and its units for one euro.
 * @throws UnreadableRates for other content, no row, or a repeated currency
 */
function unitsIn(rows: string): Map<string, string> {
  const found = new Map<string, string>();
  const row = new RegExp(ROW);
  for (let end = 0; end < rows.length; end = row.lastIndex) {
    const { currency = '', units = '' } = row.exec(rows)?.groups ?? {};
    if (currency === '' || found.has(currency)) throw new UnreadableRates();
    found.set(currency, units);
  }
  if (found.size === 0) throw new UnreadableRates();
  return found;
}

function faultIn(units: string): DroppedRate['reason'] | undefined {
  if (!DECIMAL_TEXT.test(units)) return 'unreadable';
  return new Decimal(units).isZero() ? 'not_positive' : undefined;
}

/** @throws UnreadableRates for an impossible date */
function beginningOf(day: string): Date {
  const at = new Date(`${day}T00:00:00.000Z`);
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day)) throw new UnreadableRates();
  return at;
}
