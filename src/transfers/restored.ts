import { anyOf, table } from '../kernel/db/build';
import type { Sql, Tx } from '../kernel/db/database';
import { conflict, notFound } from '../kernel/errors';
import { lockLedgerAccounts } from '../kernel/ledger/accounts';
import type { MoneyParty } from '../kernel/outbox/queues';
import type { Services } from '../services';
import { type Money, mostOf } from './engine/books/inflow';
import { VERSION_FELL } from './engine/breaks';
import { type Decided, decide } from './engine/decide';
import { readSituation } from './engine/read';
import {
  droppedWord,
  FOLLOWED,
  type FollowingPreview,
  fingerprintOf,
  previewFollowing,
} from './engine/restored';
import { lockTransfers } from './engine/tables/lock-several';
import { kindOf, requireKind } from './kinds';

export interface FollowAgain {
  transferId: string;
  /** Fingerprint of the word that was previewed. Absent: the party's present word. */
  word?: string | undefined;
  reason: string;
  decidedBy: string;
}

/**
 * Follows the lower version of a restored party for one transfer. The dropped answer becomes the word that counts,
 * and later versions are compared with it.
 * @throws Problem 404; 409 `invalid_transition` where no answer was dropped, or another than was previewed
 */
export async function followAgain(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  { transferId: id, word, reason, decidedBy }: FollowAgain,
): Promise<Decided> {
  const kind = await requireKind(tx, id);
  return decide(services, tx, kind, {
    id,
    noun: 'transfer',
    decidedBy,
    renumbered: true,
    heard: (decided) => droppedWord(decided) ?? null,
    judge(_, heard) {
      const dropped = droppedWord(heard);
      if (!dropped) throw nothingDropped();
      const told = fingerprintOf(dropped);
      if (word !== undefined && word !== told) throw changedReport();
      const data = { known: heard.transfer.word?.version, told: dropped.version, word: told };
      return [{ kind: FOLLOWED, data, reason }];
    },
  });
}

const nothingDropped = () =>
  conflict(
    'invalid_transition',
    'The party has reported no older version of the transfer, so there is nothing to follow.',
  );

const changedReport = () =>
  conflict('invalid_transition', 'The party reports another state than was previewed: preview it again.');

/** A transfer in a preview. */
export interface Restored extends Omit<FollowingPreview, 'books'> {
  id: string;
  kind: string;
  tenantId: string | null;
}

/**
 * Weighs {@link followAgain} for approval limits: the largest holding before or after.
 * @throws Problem as {@link followAgain}
 */
export async function weighFollowing(
  tx: Tx,
  { transferId: id, word }: Pick<FollowAgain, 'transferId' | 'word'>,
  at: Date,
): Promise<{ money: Money; restored: Restored }> {
  const kind = await requireKind(tx, id);
  const heard = await readSituation(tx, kind, id, at);
  if (!heard) throw notFound('transfer');
  const found = await previewFollowing(tx, kind, heard);
  if (!found) throw nothingDropped();
  if (word !== undefined && word !== found.word) throw changedReport();
  const { books, ...would } = found;
  const restored = { ...would, id, kind: kind.name, tenantId: heard.transfer.tenantId };
  return { money: mostOf(books), restored };
}

/** Transfers in one approval. Further ones need a further approval. */
const AT_ONCE = 200;

/** Previews {@link followAllAgain}: the transfers of a party whose answers are dropped as older. Changes nothing. */
export async function restoredOf(tx: Tx, party: MoneyParty, at: Date): Promise<Restored[]> {
  const all: Restored[] = [];
  for (const { id, kind: name } of await fallenOf(tx, party)) {
    const kind = kindOf(name);
    const heard = await readSituation(tx, kind, id, at);
    const found = heard && (await previewFollowing(tx, kind, heard));
    if (!found) continue;
    const { books: _, ...would } = found;
    all.push({ ...would, id, kind: name, tenantId: heard.transfer.tenantId });
  }
  return all;
}

const fallenOf = (sql: Sql, party: MoneyParty): Promise<{ id: string; kind: string }[]> =>
  sql.run(
    table('breaks as b')
      .join('transfers as t', 't.id', 'b.subject')
      .select('t.id', 't.kind')
      .where({ 'b.kind': VERSION_FELL, 't.party': party })
      .whereNull('b.resolved_at')
      .orderBy('t.id')
      .limit(AT_ONCE),
  );

/**
 * Follows lower versions of several transfers, each by its own decision and only as it was previewed. Locks all rows,
 * then all accounts.
 * @returns `skipped`: transfers whose present answer differs from the preview
 */
export async function followAllAgain(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  wanted: readonly { id: string; word: string }[],
  by: Pick<FollowAgain, 'reason' | 'decidedBy'>,
): Promise<{ followed: string[]; skipped: string[] }> {
  const ids = wanted.map(({ id }) => id);
  await lockTransfers(tx, ids);
  await lockAccountsOf(tx, ids);
  const [followed, skipped]: string[][] = [[], []];
  for (const { id, word } of wanted) {
    const kind = await requireKind(tx, id);
    const heard = await readSituation(tx, kind, id, services.now());
    const dropped = heard && droppedWord(heard);
    if (dropped && fingerprintOf(dropped) === word) {
      await followAgain(services, tx, { transferId: id, word, ...by });
      followed?.push(id);
    } else skipped?.push(id);
  }
  return { followed: followed ?? [], skipped: skipped ?? [] };
}

async function lockAccountsOf(tx: Tx, ids: readonly string[]): Promise<void> {
  const booked = await tx.run<{ accountId: string }>(
    table('transfer_entries')
      .distinct('accountId')
      .whereNotNull('accountId')
      .where(anyOf('transfer_id', ids)),
  );
  if (booked.length > 0) await lockLedgerAccounts(tx, [...booked.map(({ accountId }) => accountId)]);
}
