import type { KeyProvider } from '../../../kernel/config/station-keys';
import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import type { HeldKey } from './key';

/** The held keys that the signing process has read, so that others know which address may become a station. */
const rows = () => table('held_keys');
const MACHINE_NOW = raw(`date_trunc('milliseconds', clock_timestamp())`);

export async function publishHeldKey(
  sql: Sql,
  { address, provider }: Pick<HeldKey, 'address' | 'provider'>,
): Promise<void> {
  await sql.run(
    rows()
      .insert({ address, provider, checkedAt: MACHINE_NOW })
      .onConflict('address')
      .merge(['provider', 'checkedAt']),
  );
}

/** @param address checksummed @returns who holds its key; undefined where no signing process has read such a key */
export async function heldBy(sql: Sql, address: string): Promise<KeyProvider | undefined> {
  const [row] = await sql.run<{ provider: KeyProvider }>(rows().select('provider').where({ address }));
  return row?.provider;
}
