import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** The ids that Stripe gave to records of ours, because its lists do not search our metadata. */
export interface StripeNames {
  /** Stripe's id of our record. Undefined: unknown here, although Stripe may have the record. */
  idOf(name: string): Promise<string | undefined>;
  /** Notes that a record is being created. @returns whether an earlier attempt may have created it */
  begin(name: string): Promise<boolean>;
  keep(names: readonly string[], ref: string): Promise<void>;
}

const names = () => table('party_names');

export const namesOf = (sql: Sql, party: string): StripeNames => ({
  async idOf(name) {
    const [row] = await sql.run<{ ref: string | null }>(names().select('ref').where({ party, name }));
    return row?.ref ?? undefined;
  },
  async begin(name) {
    const begun = names().insert({ party, name }).onConflict(['party', 'name']).ignore().returning('name');
    return (await sql.run(begun)).length === 0;
  },
  async keep(given, ref) {
    const rows = given.map((name) => ({ party, name, ref }));
    await sql.run(names().insert(rows).onConflict(['party', 'name']).merge(['ref']));
  },
});
