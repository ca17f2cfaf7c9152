/** Blocks to read, both ends included. */
export interface BlockRange {
  from: number;
  to: number;
  /** Last block that is final and need not be read again. */
  finalTo: number;
  /** The blocks read before belong to another chain. */
  restart: boolean;
  /** Leaves no gap after the blocks read before. */
  continues: boolean;
  /** Includes the newest block of the chain. */
  complete: boolean;
}

/** Most blocks of a scan, because each costs a call. The next scan continues. */
export const MAX_BLOCKS = 500;

/** Blocks of one call, which are read whole. */
const BLOCKS_AT_ONCE = 50;

/**
 * The range of a scan: after the last final block that was read, or the newest blocks at the first scan.
 * @param before last block that was read
 * @param from first block that a person wants
 */
export function rangeToScan({
  head,
  confirmations,
  before,
  from: wanted,
}: {
  head: number;
  confirmations: number;
  before: number | undefined;
  from: number | undefined;
}): BlockRange {
  const restart = before !== undefined && before > head && wanted === undefined;
  const first = Math.max(0, head - MAX_BLOCKS + 1);
  const from = wanted ?? (before === undefined || restart ? first : before + 1);
  const to = Math.min(head, from + MAX_BLOCKS - 1);
  // A transaction's own block counts as one confirmation.
  const finalTo = Math.min(to, head - confirmations + 1);
  const continues = restart || before === undefined || from <= before + 1;
  return { from, to, finalTo, restart, continues, complete: to >= head };
}

/** Splits a range into pieces of one call. No piece mixes final and later blocks. */
export function partsOf({
  from,
  to,
  finalTo,
}: Pick<BlockRange, 'from' | 'to' | 'finalTo'>): { from: number; to: number }[] {
  const parts = [];
  for (let at = from; at <= to; ) {
    const end = at <= finalTo ? finalTo : to;
    const part = { from: at, to: Math.min(end, at + BLOCKS_AT_ONCE - 1) };
    parts.push(part);
    at = part.to + 1;
  }
  return parts;
}
