import type { Hex } from 'viem';
import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';

/** A proven signature: `s` is low, and the parity gives the key's address. */
export interface Signature {
  r: Hex;
  s: Hex;
  yParity: 0 | 1;
}

/**
 * Signatures of held keys, by the digest that they sign. A provider's signature of the same bytes is another each time,
 * and a transaction must keep its hash. A row proves nothing: its reader recovers the signer.
 */
export interface KeptSignatures {
  find(digest: string): Promise<Signature | undefined>;
  /**
   * Stores a signature, and returns the earliest of the digest.
   * @param void_ a stored signature that is not the key's, which is replaced
   */
  keep(digest: string, address: string, made: Signature, void_: Signature | undefined): Promise<Signature>;
}

const rows = () => table('held_signatures');
const MACHINE_NOW = raw(`date_trunc('milliseconds', clock_timestamp())`);

export function keptSignatures(sql: Sql): KeptSignatures {
  async function find(digest: string): Promise<Signature | undefined> {
    const [row] = await sql.run<{ signature: Signature }>(rows().select('signature').where({ digest }));
    return row?.signature;
  }
  return {
    find,
    async keep(digest, address, made, void_) {
      const row = { digest, address, signature: JSON.stringify(made), signedAt: MACHINE_NOW };
      if (void_)
        await sql.run(
          rows()
            .where({ digest, signature: JSON.stringify(void_) })
            .delete(),
        );
      await sql.run(rows().insert(row).onConflict('digest').ignore());
      return (await find(digest)) ?? made;
    },
  };
}

/** Days after which a signature is forgotten. The operation has stored the transaction long before, or never sent it. */
const KEPT_DAYS = 30;

export async function forgetOldSignatures(sql: Sql): Promise<void> {
  await sql.run(
    rows()
      .where('signedAt', '<', raw(`clock_timestamp() - interval '${KEPT_DAYS} days'`))
      .delete(),
  );
}
