import type { Sql } from '../kernel/db/database';
import { type IdKind, kindOfId } from '../kernel/ids';
import { type Desk, defineDesk } from '../process/desk/desk';
import { type RecordOfDesk, record } from '../process/desk/record';
import { transferOfDecision } from '../transfers/engine/read';

/**
 * Decisions on transfers have no story of their own: an id shows the transfer.
 * @param recordFor the record of another kind of id, in the whole catalogue
 */
export const transferDecisionDesk = (
  database: Sql,
  recordFor: (kind: IdKind) => RecordOfDesk | undefined,
): Desk =>
  defineDesk({
    name: 'transfer-decision',
    title: 'Decisions on transfers',
    records: [
      record({
        kind: 'decision',
        title: 'A decision on a transfer, shown as the story of the transfer',
        async story(id, limit) {
          const transferId = await transferOfDecision(database, id);
          const kind = transferId === undefined ? undefined : kindOfId(transferId);
          return kind && recordFor(kind)?.story(transferId ?? '', limit);
        },
      }),
    ],
  });
