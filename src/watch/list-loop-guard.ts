import type { ChangesPage } from '../parties/protocol/changes';
import { PartyAway } from '../process/party-errors';

/** Faults of a list whose pages can be read. */
export type ListFault = 'list_endless' | 'list_repeats';

/** A list that does not end. The rows it has told count, and it is read again. */
export class ListUnusable extends PartyAway {
  override name = 'ListUnusable';
  constructor(readonly fault: ListFault) {
    super(`the list cannot be read to its end: ${fault}`);
  }
}

/** Most pages in a row without a new row. A party may page by time through a period without changes. */
const MAX_BARREN = 50;

/** Detects within one reading whether a list loops or never ends. */
export function createListLoopGuard() {
  const places = new Set<string | null>();
  const rows = new Set<string>();
  let barren = 0;
  return {
    /**
     * @param from where the page began
     * @throws ListUnusable when the list leads back to an earlier page, or brings nothing new for too long
     */
    pass(from: string | null, { changes, next, more }: ChangesPage): void {
      places.add(from);
      const known = rows.size;
      for (const { id } of changes) rows.add(id);
      barren = rows.size > known ? 0 : barren + 1;
      if (!more) return;
      if (places.has(next)) throw new ListUnusable('list_repeats');
      if (barren >= MAX_BARREN) throw new ListUnusable('list_endless');
    },
  };
}
