import type { ChangesPage } from '../parties/protocol/changes';
import { PartyAway } from '../process/party-errors';

/** What can be wrong with a list whose pages can be read. */
export type ListFault = 'list_endless' | 'list_repeats';

/** A list that leads nowhere: what it has told counts, and it is read again. */
export class ListUnusable extends PartyAway {
  override name = 'ListUnusable';
  constructor(readonly fault: ListFault) {
    super(`the list cannot be read to its end: ${fault}`);
  }
}

/** So many pages in a row that bring nothing, and promise more. A party may go by spans of time in which nothing happened. */
const MAX_BARREN = 50;

/** One reading of a list, page by page: whether it still leads anywhere. */
export function createListLoopGuard() {
  const places = new Set<string | null>();
  const rows = new Set<string>();
  let barren = 0;
  return {
    /**
     * @param from where the page began
     * @throws ListUnusable when it leads back to where the reading has been, or brings nothing for too long
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
