import type { Knex } from 'knex';
import { anyOf, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { PayoutDetails } from './record';

/** Each kind of payout has a table for the fields beside its transfers. */
export type PayoutTable = 'payouts' | 'iban_payouts';

const detailsIn = (name: PayoutTable) =>
  recordTable<PayoutDetails>(name, {}, ['id', 'quoteId', 'externalId', 'destination']);
const TABLES = { payouts: detailsIn('payouts'), iban_payouts: detailsIn('iban_payouts') };

export interface NewPayoutDetails extends PayoutDetails {
  tenantId: string;
}

/** @returns false when the tenant has a payout with that `externalId` */
export async function insertDetails(tx: Sql, name: PayoutTable, given: NewPayoutDetails): Promise<boolean> {
  const insert = TABLES[name]().insert(TABLES[name].row(given)).onConflict(['tenant_id', 'external_id']);
  return (await tx.run(insert.ignore().returning('id'))).length === 1;
}

/** The fields beside the transfers, by the payout's id. */
export async function findDetails(
  sql: Sql,
  name: PayoutTable,
  ids: readonly string[],
): Promise<Map<string, PayoutDetails>> {
  const rows = await TABLES[name].all(sql, TABLES[name]().where(anyOf('id', ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

export async function findSealedDestination(sql: Sql, name: PayoutTable, id: string): Promise<Buffer> {
  const [row] = await sql.run<{ destination: Buffer }>(table(name).select('destination').where({ id }));
  if (!row) throw new Error(`the payout ${id} has no destination`);
  return row.destination;
}

/** Filters by `externalId`, which is unique in a tenant. */
export const havingExternalId = (query: Knex.QueryBuilder, externalId: string): void =>
  void query.whereIn('id', table('payouts').select('id').where({ externalId }));
