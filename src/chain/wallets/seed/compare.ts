import type { Sql } from '../../../kernel/db/database';
import type { PublicKeys } from '../../../parties/signer/derivation';
import { fingerprintOf } from '../../../parties/signer/fingerprint';
import { addressAt } from '../../../parties/signer/local';
import { lastCeremony } from './ceremonies';
import { outerWallets } from './import';

/** How a seed that people brought compares with an installation. Nothing here needs a key of the installation. */
export interface Comparison {
  /** Of the last ceremony. Null: none was held. */
  ceremony: string | null;
  /** Wallets that were compared, the first and the last ones. */
  wallets: number;
  /** The indexes among them whose address the seed does not give. */
  wrong: number[];
  /** Null: there is nothing to compare with. */
  isSame: boolean | null;
}

/** Compares by the wallets' addresses, which nobody can forge unnoticed, and by the fingerprint of the last ceremony. */
export async function compareSeed(sql: Sql, publicKeys: PublicKeys): Promise<Comparison> {
  const ceremony = (await lastCeremony(sql))?.fingerprint ?? null;
  const wallets = await outerWallets(sql);
  const wrong = wallets
    .filter(({ derivationIndex: index, address }) => addressAt({ publicKeys }, 'evm', index) !== address)
    .map(({ derivationIndex }) => derivationIndex);
  const agrees = wrong.length === 0 && (ceremony === null || ceremony === fingerprintOf(publicKeys));
  const isSame = wallets.length === 0 && ceremony === null ? null : agrees;
  return { ceremony, wallets: wallets.length, wrong: [...new Set(wrong)], isSame };
}
