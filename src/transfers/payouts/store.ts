import type { Knex } from 'knex';
import { anyOf, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { PayoutDetails } from './record';

/** Each kind of payout has a table for the fields beside its transfers. */
export type PayoutTable = 'payouts' | 'iban_payouts';

const COLUMNS = ['id', 'quoteId', 'externalId', 'destination'];
/** A virtual IBAN belongs to a company, so its payouts have no user. */
const TABLES = {
  payouts: recordTable<PayoutDetails>('payouts', {}, [...COLUMNS, 'userId']),
  iban_payouts: recordTable<Omit<PayoutDetails, 'userId'>>('iban_payouts', {}, COLUMNS),
};

export interface NewPayoutDetails extends PayoutDetails {
  tenantId: string;
}

/** @returns false when the tenant has a payout with that `externalId` */
export async function insertDetails(
  tx: Sql,
  name: PayoutTable,
  { userId, ...given }: NewPayoutDetails,
): Promise<boolean> {
  const row = name === 'payouts' ? { ...given, userId } : given;
  const insert = TABLES[name]().insert(row).onConflict(['tenant_id', 'external_id']);
  return (await tx.run(insert.ignore().returning('id'))).length === 1;
}

/** The fields beside the transfers, by the payout's id. */
export async function findDetails(
  sql: Sql,
  name: PayoutTable,
  ids: readonly string[],
): Promise<Map<string, PayoutDetails>> {
  const rows = await TABLES[name].all(sql, TABLES[name]().where(anyOf('id', ids)));
  return new Map(rows.map((row) => [row.id, { userId: null, ...row }]));
}

/** Filters by `externalId`, which is unique in a tenant. */
export const havingExternalId = (query: Knex.QueryBuilder, externalId: string): void =>
  void query.whereIn('id', table('payouts').select('id').where({ externalId }));
