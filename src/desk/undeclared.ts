import { type IdKind, kindOfId } from '../kernel/ids';
import type { Keyring } from '../kernel/security/keyring';
import { type Desk, defineDesk } from '../process/desk/desk';
import { columnsOf, type List, list } from '../process/desk/list';
import { type RecordOfDesk, record } from '../process/desk/record';
import type { DeskDeps } from '../process/desk/story';
import { waitingFilterOf, waitingFilters } from '../process/desk/waiting-filters';
import { transferOfDecision } from '../transfers/engine/read';
import type { Queue, Waiting } from './queue';
import { REVEALERS } from './reveal';
import { TELLERS } from './story/tell';
import { QUEUES } from './waiting';

/**
 * The queues and stories of domains that do not declare a desk yet. A domain that declares its own takes its entries
 * out of `QUEUES`, `TELLERS` and `REVEALERS`. This file goes with the last of them.
 * @param storyOf the record of an id of another kind, in the whole catalogue
 */
export function undeclaredDesk(
  deps: DeskDeps & { keyring: Keyring },
  recordFor: (kind: IdKind) => RecordOfDesk | undefined,
): Desk {
  const kinds = Object.entries(TELLERS) as [IdKind, (typeof TELLERS)[IdKind]][];
  return defineDesk({
    name: 'installation',
    title: 'Work of domains that declare no desk yet',
    lists: QUEUES.map((queue) => listOf(deps, queue)),
    records: [
      ...kinds.map(([kind, teller]) => {
        const revealer = REVEALERS[kind];
        return record({
          kind,
          title: kind,
          story: async (id, limit) => teller?.(deps, id, limit),
          ...(revealer ? { reveal: (tx, id) => revealer(tx, deps.keyring, id) } : {}),
        });
      }),
      record({
        kind: 'decision',
        title: 'A decision on a transfer, shown as the story of the transfer',
        async story(id, limit) {
          const transferId = await transferOfDecision(deps.database, id);
          const kind = transferId === undefined ? undefined : kindOfId(transferId);
          return kind && recordFor(kind)?.story(transferId ?? '', limit);
        },
      }),
    ],
  });
}

const columns = columnsOf<Waiting>();

function listOf(deps: DeskDeps, queue: Queue): List {
  const named = queue.columns.map((title, index) => {
    const value = ({ cells }: Waiting) => cells[index];
    const column = index === 0 ? columns.id(title, (row) => textOf(value(row))) : columns.text(title, value);
    return [nameOf(title), column] as const;
  });
  return list({
    name: queue.name,
    title: queue.description,
    filters: waitingFilters({
      ...(queue.kind === undefined ? {} : { kind: queue.kind }),
      ...(queue.byCurrency ? { currency: true } : {}),
    }),
    columns: { ...Object.fromEntries(named), since: columns.since('since', ({ since }) => since) },
    rows: (page) => queue.list(deps, waitingFilterOf(page, deps.now())),
    place: ({ since, id }) => ({ since, id }),
    waitsSince: (sql, now) => queue.count(sql, now),
    ...(queue.fails ? { fails: true } : {}),
  });
}

/** `asked by` is `askedBy` on the wire. */
const nameOf = (title: string): string =>
  title.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());

const textOf = (cell: string | number | null | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);
