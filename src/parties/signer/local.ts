import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Database, Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { asHex, evmAddressOf, tronAddressOf } from '../chain/addresses';
import type { UnsignedTransaction } from '../chain/port';
import { BRANCHES, type ChainKind, publicKeyAt, withKey } from './derivation';
import type { SignedTransaction, Signer } from './port';
import { ensureSeed, withEntropy } from './seed';

export { ensureSeed } from './seed';

const ADDRESS = { evm: evmAddressOf, tron: tronAddressOf } as const;

/** Keys derived from our own seed, which is opened for the time of a signature. The seed is made when it is first needed. */
export function createLocalSigner({ database, keyring }: { database: Database; keyring: Keyring }): Signer {
  return {
    async addresses(kind: ChainKind, indices: readonly number[], tx?: Sql) {
      // Locked: whoever replaces the seed waits, and then finds the wallets of these addresses.
      const { publicKeys } = await ensureSeed(tx ?? database, keyring, tx && 'share');
      return indices.map((index) => ADDRESS[kind](publicKeyAt(publicKeys[kind], index)));
    },
    sign: (index, transaction) =>
      withEntropy(database, keyring, (entropy) =>
        withKey(entropy, `${BRANCHES.evm}/${index}`, async (key) => {
          if (!key.privateKey) throw new Error('a derived key has a private half');
          return signWith(key.privateKey, transaction);
        }),
      ),
  };
}

/** Deterministic nonces (RFC 6979): the same transaction gives the same bytes. */
async function signWith(
  privateKey: Uint8Array,
  transaction: UnsignedTransaction,
): Promise<SignedTransaction> {
  const account = privateKeyToAccount(`0x${Buffer.from(privateKey).toString('hex')}`);
  if (account.address !== transaction.from)
    throw new Error(`the wallet of that place is ${account.address}, not the sender`);
  const { from: _, to, data, ...rest } = transaction;
  const raw = await account.signTransaction({
    ...rest,
    type: 'eip1559',
    to: asHex(to),
    data: asHex(data),
  });
  return { raw, hash: keccak256(raw) };
}
