import type { Knex } from 'knex';
import { anyOf, filtered, type IdPage, newestFirst, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { type FoundRecord, foundRecords } from '../../kernel/db/found';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../../kernel/db/waiting';
import { notFound } from '../../kernel/errors';
import type { IdKind } from '../../kernel/ids';
import { idsWithin } from '../../kernel/product-clock';
import type { Services } from '../../services';
import { effective } from './conclusion';
import type { AnyKind, TransferKind } from './kind';
import type { PartyWord, Situation } from './record';
import { readSituations } from './store';

export {
  bookedOf,
  entriesOf,
  kindNameOf,
  linksOf,
  lockTransfer,
  readSituation,
  transferOfReference,
  transfersOfParty,
} from './store';
export { countSuspense, type SuspenseItem, suspenseItems } from './tables/suspense';
export { wordsOf } from './tables/words';

type Deps = Pick<Services, 'now'> & { database: Sql };

/** The filters of every list of transfers. A kind may add its own. */
export type ListFilter = Owner & {
  status?: string | undefined;
  /** For kinds whose terms have a method. */
  method?: string | undefined;
  currency?: string | undefined;
};

/** The owner of the listed transfers. */
type Owner = { accountId: string } | { tenantId: string; accountId?: string | undefined };

/** Lists the transfers of an account or of a tenant, newest first, with the word that counts. */
export function listTransfers<Terms, Word extends PartyWord>(
  { database, now }: Deps,
  kind: TransferKind<Terms, Word>,
  { method, currency, ...filter }: ListFilter,
  page: IdPage,
  further: (query: Knex.QueryBuilder) => void = () => undefined,
): Promise<Situation<Terms, Word>[]> {
  return readEffective({ database, now }, kind, (query) => {
    filtered(query, filter);
    if (method !== undefined) void query.whereRaw(`terms->>'method' = ?`, [method]);
    if (currency !== undefined) void query.whereRaw(`terms->>'currency' = ?`, [currency]);
    further(query);
    newestFirst(query, page);
  });
}

/** Reads transfers with the word that counts, so that a concluded transfer is never shown as open. */
async function readEffective<Terms, Word extends PartyWord>(
  { database, now }: Deps,
  kind: TransferKind<Terms, Word>,
  choose: (query: Knex.QueryBuilder) => void,
): Promise<Situation<Terms, Word>[]> {
  const found = await readSituations(database, kind, now(), choose);
  return found.map((each) => effective(kind, each));
}

/** Which transfers wait for the operator, and the SQL expression behind the filter `kind`. */
export interface WaitingTransfers {
  status: 'manual_review' | 'pending_approval';
  /** SQL expression. */
  kind: string;
}

const waitingIn = (query: Knex.QueryBuilder, status: string) =>
  query.where({ status }).whereNotNull('tenantId');

const SINCE = { id: 'id', since: 'updated_at' };

/** Lists the transfers that wait for the operator, longest first, with the word that counts. @throws Problem 400 */
export function waitingForOperator<Terms, Word extends PartyWord>(
  { database, now }: Deps,
  kind: TransferKind<Terms, Word>,
  { status, kind: column }: WaitingTransfers,
  filter: WaitingFilter,
): Promise<Situation<Terms, Word>[]> {
  const columns = { ...SINCE, tenantId: 'tenant_id', kind: column, currency: `terms->>'currency'` };
  return readEffective({ database, now }, kind, (query) => {
    waitingPage(waitingIn(query, status), columns, filter);
  });
}

export const countWaitingForOperator = (
  sql: Sql,
  { name: kind }: Pick<AnyKind, 'name'>,
  { status }: WaitingTransfers,
): Promise<WaitingCount> => countWaiting(sql, waitingIn(table('transfers').where({ kind }), status), SINCE);

/**
 * Lists the transfers of a kind in some statuses, oldest first, with the word that counts. The filter `kind` is the
 * status. Each status gives a page by the index `transfers_open`, because one page of all would sort every open transfer.
 * @throws Problem 400
 */
export async function transfersIn<Terms, Word extends PartyWord>(
  { database, now }: Deps,
  kind: TransferKind<Terms, Word>,
  statuses: readonly string[],
  { kind: only, ...filter }: WaitingFilter,
): Promise<Situation<Terms, Word>[]> {
  const columns = {
    id: 'id',
    since: 'created_at',
    tenantId: 'tenant_id',
    currency: `terms->>'currency'`,
  };
  const found: Situation<Terms, Word>[] = [];
  for (const status of statuses.filter((each) => each === (only ?? each)))
    found.push(
      ...(await readEffective({ database, now }, kind, (query) => {
        waitingPage(query.where({ status }), columns, filter);
      })),
    );
  return found.sort(byCreation).slice(0, filter.limit);
}

function byCreation({ transfer: one }: Situation, { transfer: other }: Situation): number {
  return one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1);
}

/** The number of a kind's transfers by status, among these. The index `transfers_open` serves open statuses. */
export const countByStatus = (
  sql: Sql,
  { name: kind }: Pick<AnyKind, 'name'>,
  statuses: readonly string[],
): Promise<{ status: string; count: number }[]> =>
  sql.run(
    table('transfers')
      .where({ kind })
      .whereIn('status', [...statuses])
      .groupBy('status')
      .orderBy('status')
      .select('status', raw('count(*)::int as count')),
  );

/**
 * The number of a kind's transfers made in each hour of `[from, to)`, by their present status. The primary key serves it,
 * because an id begins with its time. Top-ups and withdrawals of cards share a sort of id.
 */
export const countByHour = async (
  sql: Sql,
  { id, kind }: { id: IdKind; kind: string },
  period: { from: Date; to: Date },
): Promise<{ at: Date; status: string; count: number }[]> =>
  sql.query(
    `select date_trunc('hour', created_at, 'UTC') as at, status, count(*)::int as count from transfers
      where id >= $1 and id < $2 and created_at >= $3 and created_at < $4 and kind = $5 group by 1, 2 order by 1, 2`,
    [...(await idsWithin(sql, id, period)), period.from, period.to, kind],
  );

/** Transfers of all kinds by the idempotency key of a request, newest first. */
export const foundByKey = (sql: Sql, text: string, limit: number): Promise<FoundRecord[]> =>
  foundRecords(sql, { table: 'transfers', column: 'idempotencyKey', text }, limit);

/** Transfers by their name at one of the parties, newest first. */
export const foundByRef = (
  sql: Sql,
  parties: readonly string[],
  text: string,
  limit: number,
): Promise<FoundRecord[]> =>
  foundRecords(sql, { table: 'transfers', column: 'partyRef', text, among: { party: parties } }, limit);

/** The tenant whose credential asked for the transfer. Null: nobody's did. */
export async function callerOf(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql.run<{ callerId: string | null }>(
    table('transfers').select('callerId').where({ id }),
  );
  return row?.callerId ?? null;
}

/** Finds the transfer of a decision. */
export async function transferOfDecision(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql.run<{ transferId: string }>(
    table('transfer_decisions').select('transferId').where({ id }),
  );
  return row?.transferId;
}

/** Finds transfers of a kind by id, in no order, with the word that counts. */
export const findTransfers = <Terms, Word extends PartyWord>(
  deps: Deps,
  kind: TransferKind<Terms, Word>,
  ids: readonly string[],
): Promise<Situation<Terms, Word>[]> =>
  readEffective(deps, kind, (query) => void query.where(anyOf('id', ids)));

/** Finds transfers by their names at the party, in no order, with the word that counts. */
export const findByRefs = <Terms, Word extends PartyWord>(
  deps: Deps,
  kind: TransferKind<Terms, Word>,
  refs: readonly string[],
): Promise<Situation<Terms, Word>[]> =>
  readEffective(
    deps,
    kind,
    (query) => void query.where({ party: kind.party }).where(anyOf('party_ref', refs)),
  );

/**
 * Finds a transfer, with the word that counts.
 * @param wanted.accountId absent: of any account
 * @throws Problem 404, also for a transfer of another account or tenant
 */
export async function requireTransfer<Terms, Word extends PartyWord>(
  { database, now }: Deps,
  kind: TransferKind<Terms, Word>,
  { id, accountId, reach, noun }: { id: string; accountId?: string; reach: string | null; noun: string },
): Promise<Situation<Terms, Word>> {
  const [found] = await readEffective({ database, now }, kind, (query) => void query.where({ id }));
  const { transfer } = found ?? {};
  const own =
    (accountId === undefined || transfer?.accountId === accountId) &&
    (reach === null || transfer?.tenantId === reach);
  if (!found || !own) throw notFound(noun);
  return found;
}
