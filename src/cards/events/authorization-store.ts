import { raw, snakeCase, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { existsSign } from '../../kernel/db/lookout';
import type { Write } from '../../kernel/db/writes';
import { Decimal } from '../../kernel/money/money';
import { arrayOf, type Column, decimal, namesOf, plain, recordOf } from './columns';
import { type Authorization, COUNTERS, type Counter, type Merchant, remaining } from './record';

const counter = (side: 'own' | 'billing', name: Counter, field: string): Column<Authorization> => ({
  field,
  cell: (authorization) => authorization[side][name],
  read(authorization, value) {
    authorization[side][name] = new Decimal(value as string);
  },
});

const COUNTED = [
  ...COUNTERS.map((name) => counter('own', name, name)),
  ...COUNTERS.map((name) => counter('billing', name, `billing${name[0]?.toUpperCase()}${name.slice(1)}`)),
];

/** True when nothing is held. The partial index of open authorizations leaves such rows out. */
const closed: Column<Authorization> = {
  field: 'closed',
  cell: (authorization) => remaining(authorization.own).isZero(),
};

/** In the order of the composite type `new_authorization`. */
const COLUMNS: readonly Column<Authorization>[] = [
  plain('id'),
  plain('cardId'),
  plain('referenceId'),
  plain('currency'),
  plain('billingCurrency'),
  decimal('rate'),
  ...COUNTED,
  decimal('feePercent'),
  decimal('feeHeld'),
  plain('lastSettleId'),
  plain('expiresAt'),
  closed,
  plain('createdAt'),
  plain('updatedAt'),
  decimal('bufferDrawn'),
];

/** The columns that events change. */
const CHANGING = [
  ...COUNTED.map(({ field }) => field),
  'feeHeld',
  'bufferDrawn',
  'lastSettleId',
  'expiresAt',
  'closed',
  'updatedAt',
];

/** The columns to read, from the alias `a`. */
export const READ = namesOf(
  COLUMNS.filter(({ read }) => read),
  'a.',
);

export const authorizationOf = (row: Record<string, unknown>): Authorization =>
  recordOf(COLUMNS, row, { own: {}, billing: {} } as Authorization);

export interface FoundAuthorization {
  /** The reference that found it: its own or a later event's. */
  reference: string;
  authorization: Authorization;
}

/** The authorization with an id, also one that is archived. The row that was put back counts. @param id an SQL expression */
export const authorizationById = (id: string): string => `
  select * from authorizations where id = ${id}
  union all
  select * from archived_authorizations z where z.id = ${id} and not exists (select from authorizations where id = z.id)`;

/** Authorizations that have one of the references on one of the cards, and those with one of the ids. */
export async function readAuthorizations(
  sql: Sql,
  cardIds: string[],
  references: string[],
  ids: string[],
): Promise<FoundAuthorization[]> {
  if (references.length + ids.length === 0) return [];
  // Prepared, because every settlement runs it.
  const rows = await sql.prepared<Record<string, unknown> & { reference: string }>(
    'authorizations-read',
    `select t.reference_id as reference, ${READ}
       from card_transactions t join authorizations a on a.id = t.authorization_id
      where t.reference_id = any($2) and t.card_id = any($1)
     union all
     select r.reference_id, ${READ}
       from archived_references r cross join lateral (${authorizationById('r.authorization_id')}) a
      where r.reference_id = any($2) and a.card_id = any($1)
     union all
     select a.reference_id, ${READ} from authorizations a where a.id = any($3) and a.card_id = any($1)`,
    [cardIds, references, ids],
  );
  return rows.map((row) => ({ reference: row.reference, authorization: authorizationOf(row) }));
}

/** The merchants that opened authorizations, by authorization id, for the references on the cards. */
export async function readMerchants(
  sql: Sql,
  cardIds: string[],
  references: string[],
): Promise<Map<string, Merchant>> {
  if (references.length === 0) return new Map();
  const rows = await sql.prepared<{ id: string; merchant: Merchant }>(
    'authorizations-merchants',
    `select o.id, o.merchant from card_transactions t join card_transactions o on o.id = t.authorization_id
      where t.reference_id = any($2) and t.card_id = any($1) and o.merchant is not null`,
    [cardIds, references],
  );
  return new Map(rows.map(({ id, merchant }) => [id, merchant]));
}

/** Inserts or updates authorizations. Raw SQL, because the hot path defers this write to its commit. */
export function authorizationsWrite(authorizations: Authorization[]): Write | undefined {
  if (authorizations.length === 0) return undefined;
  return {
    name: 'authorizations',
    statement: UPSERT,
    values: [arrayOf(COLUMNS, authorizations)],
  };
}

const UPSERT = `insert into authorizations (${namesOf(COLUMNS)}) select * from unnest($1::new_authorization[])
  on conflict (id) do update set ${CHANGING.map((field) => `${snakeCase(field)} = excluded.${snakeCase(field)}`).join(', ')}`;

/** The position of an open authorization in the order of expiry. */
export interface ExpiryPlace {
  /** ISO 8601, because it passes through a workflow. */
  expiresAt: string;
  id: string;
}

export type DueAuthorization = ExpiryPlace & Pick<Authorization, 'cardId' | 'referenceId'>;

/** Whether there are {@link dueAuthorizations}. */
export const AUTHORIZATIONS_DUE = existsSign(
  'expired authorizations',
  'from authorizations where not closed and expires_at <= product_now(now()) order by expires_at',
);

/** Open authorizations whose validity has ended, the oldest first, after a position. */
export async function dueAuthorizations(
  sql: Sql,
  after: ExpiryPlace | null,
  limit: number,
): Promise<DueAuthorization[]> {
  const due = table('authorizations')
    .select('id', 'cardId', 'referenceId', 'expiresAt')
    .whereRaw('not closed')
    .where('expiresAt', '<=', raw('product_now(now())'))
    .orderBy(['expiresAt', 'id'])
    .limit(limit);
  if (after) void due.whereRaw('(expires_at, id) > (?, ?)', [after.expiresAt, after.id]);
  const rows = await sql.run<Omit<DueAuthorization, 'expiresAt'> & { expiresAt: Date }>(due);
  return rows.map(({ expiresAt, ...row }) => ({ ...row, expiresAt: expiresAt.toISOString() }));
}
