import type { Knex } from 'knex';
import { anyOf, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Payout, PayoutDetails, ShownPayout } from './record';

const COLUMNS = ['id', 'quoteId', 'externalId', 'destinationMasked'];

export interface NewPayoutDetails extends PayoutDetails {
  tenantId: string;
  /** Sealed under the id. */
  destination: Buffer;
}

/**
 * What each kind of payout keeps beside its transfers, in a table of its own.
 * @param name the table
 */
export function payoutDetails(name: 'payouts' | 'iban_payouts') {
  const payouts = () => table(name);
  return {
    /** @returns false when the tenant has one with that `externalId` */
    async insertDetails(tx: Sql, given: NewPayoutDetails): Promise<boolean> {
      const row = { ...given, destinationMasked: JSON.stringify(given.destinationMasked) };
      const rows = await tx.run(
        payouts().insert(row).onConflict(['tenant_id', 'external_id']).ignore().returning('id'),
      );
      return rows.length === 1;
    },

    /** With what each alone has. */
    async shown(sql: Sql, found: readonly Payout[]): Promise<ShownPayout[]> {
      const ids = found.map(({ transfer }) => transfer.id);
      const rows = await sql.run<PayoutDetails>(payouts().select(COLUMNS).where(anyOf('id', ids)));
      const byId = new Map(rows.map((row) => [row.id, row]));
      return found.map((payout) => {
        const details = byId.get(payout.transfer.id);
        if (!details) throw new Error(`the payout ${payout.transfer.id} has no details`);
        return { payout, details };
      });
    },

    async findSealedDestination(sql: Sql, id: string): Promise<Buffer> {
      const [row] = await sql.run<{ destination: Buffer }>(payouts().select('destination').where({ id }));
      if (!row) throw new Error(`the payout ${id} has no destination`);
      return row.destination;
    },

    /** The transfers whose payout has that `externalId`: a tenant has one. */
    havingExternalId: (query: Knex.QueryBuilder, externalId: string): void =>
      void query.whereIn('id', payouts().select('id').where({ externalId })),
  };
}
