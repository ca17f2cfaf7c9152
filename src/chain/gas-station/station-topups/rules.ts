/** Blocks to read, both ends included. */
export interface BlockRange {
  from: number;
  to: number;
  /** Up to that one they are final, and need not be read again. */
  finalTo: number;
  /** What was read before is of a chain that is no longer. */
  restart: boolean;
  /** It leaves no block out after those that were read. */
  continues: boolean;
  /** The newest block of the chain is in it. */
  complete: boolean;
}

/** Each costs a call of the node: what is left is the next scan's. */
export const MAX_BLOCKS = 500;

/** So many are asked for at once: blocks come whole. */
const BLOCKS_AT_ONCE = 50;

/**
 * Which blocks a scan reads: those after the last that was read and was final, or so many before the newest where none was.
 * @param before the last block that was read
 * @param from that a person wants to begin with
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
  // Its own block counts one.
  const finalTo = Math.min(to, head - confirmations + 1);
  const continues = restart || before === undefined || from <= before + 1;
  return { from, to, finalTo, restart, continues, complete: to >= head };
}

/** The range in pieces that one call reads; none has blocks that are final together with later ones. */
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
