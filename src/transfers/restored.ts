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
    report: (decided) => droppedWord(decided) ?? null,
    judge(_, reported) {
      const dropped = droppedWord(reported);
      if (!dropped) throw nothingDropped();
      const fingerprint = fingerprintOf(dropped);
      if (word !== undefined && word !== fingerprint) throw changedReport();
      const data = { known: reported.transfer.word?.version, told: dropped.version, word: fingerprint };
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
 * Previews {@link followAgain}, with its weight for approval limits: the largest holding before or after.
 * @throws Problem as {@link followAgain}
 */
export async function weighFollowing(
  tx: Tx,
  id: string,
  at: Date,
): Promise<{ money: Money; restored: Restored }> {
  const kind = await requireKind(tx, id);
  const reported = await readSituation(tx, kind, id, at);
  if (!reported) throw notFound('transfer');
  const found = await previewFollowing(tx, kind, reported);
  if (!found) throw nothingDropped();
  const { books, ...would } = found;
  const restored = { ...would, id, kind: kind.name, tenantId: reported.transfer.tenantId };
  return { money: mostOf(books), restored };
}

/** Transfers in one approval. Further ones need a further approval. */
const AT_ONCE = 200;

export interface RestoredPage {
  /** Absent: all parties. */
  party?: MoneyParty | undefined;
  /** Id that the page follows. */
  after?: string | undefined;
  limit?: number;
}

/** Previews {@link followAllAgain}: the transfers whose party's answers are dropped as older. Changes nothing. */
export async function restoredOf(
  tx: Tx,
  { party, after, limit = AT_ONCE }: RestoredPage,
  at: Date,
): Promise<Restored[]> {
  const all: Restored[] = [];
  const found = await fallenOf(tx, { party, after, limit });
  for (const { id, kind: name } of found) {
    const kind = kindOf(name);
    const reported = await readSituation(tx, kind, id, at);
    const preview = reported && (await previewFollowing(tx, kind, reported));
    if (!preview) continue;
    const { books: _, ...would } = preview;
    all.push({ ...would, id, kind: name, tenantId: reported.transfer.tenantId });
  }
  const last = found.at(-1);
  // A break may outlive its answer by a moment. The page is filled up, because a shorter one would be the last.
  if (!last || found.length < limit || all.length === limit) return all;
  return [...all, ...(await restoredOf(tx, { party, after: last.id, limit: limit - all.length }, at))];
}

const fallenOf = (
  sql: Sql,
  { party, after, limit = AT_ONCE }: RestoredPage,
): Promise<{ id: string; kind: string }[]> => {
  const query = table('breaks as b')
    .join('transfers as t', 't.id', 'b.subject')
    .select('t.id', 't.kind')
    .where({ 'b.kind': VERSION_FELL })
    .whereNull('b.resolved_at');
  if (party !== undefined) void query.where({ 't.party': party });
  if (after !== undefined) void query.where('b.subject', '>', after);
  return sql.run(query.orderBy('b.subject').limit(limit));
};

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
    const reported = await readSituation(tx, kind, id, services.now());
    const dropped = reported && droppedWord(reported);
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
