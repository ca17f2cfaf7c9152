import { bytesToHex, keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Database, Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { asHex, evmAddressOf } from '../chain/addresses';
import type { ChainKind, SignedAuthorization, UnsignedTransaction } from '../chain/port';
import { BRANCHES, publicKeyAt, withKey } from './derivation';
import type { SignedTransaction, Signer } from './port';
import { ensureSeed, type WalletSeed, withEntropy } from './seed';

export { ensureSeed } from './seed';

const ADDRESS = { evm: evmAddressOf } as const;

/** Keys derived from our own seed, which is opened for the time of a signature. The seed is made when it is first needed. */
export function createLocalSigner({ database, keyring }: { database: Database; keyring: Keyring }): Signer {
  return {
    async addresses(kind: ChainKind, indices: readonly number[], tx?: Sql) {
      // Locked: whoever replaces the seed waits, and then finds the wallets of these addresses.
      const seed = await ensureSeed(tx ?? database, keyring, tx && 'share');
      return indices.map((index) => addressAt(seed, kind, index));
    },
    sign: (index, transaction) => withAccount(index, (account) => signWith(account, transaction)),
    signAuthorization: (index, given) => withAccount(index, (account) => authorizeWith(account, given)),
  };

  /** The account of a wallet, for the time of a signature. */
  function withAccount<T>(index: number, work: (account: PrivateKeyAccount) => Promise<T>): Promise<T> {
    return withEntropy(database, keyring, (entropy) =>
      withKey(entropy, `${BRANCHES.evm}/${index}`, async (key) => {
        const { privateKey } = key; // a copy
        if (!privateKey) throw new Error('a derived key has a private half');
        try {
          return await work(privateKeyToAccount(bytesToHex(privateKey)));
        } finally {
          privateKey.fill(0);
        }
      }),
    );
  }
}

/** The address of a wallet, by the seed's public keys alone. */
export const addressAt = ({ publicKeys }: WalletSeed, kind: ChainKind, index: number): string =>
  ADDRESS[kind](publicKeyAt(publicKeys[kind], index));

/** Deterministic nonces (RFC 6979): the same transaction gives the same bytes. */
async function signWith(
  account: PrivateKeyAccount,
  transaction: UnsignedTransaction,
): Promise<SignedTransaction> {
  if (account.address !== transaction.from)
    throw new Error(`the wallet of that place is ${account.address}, not the sender`);
  const { from: _, to, data, authorizations = [], ...rest } = transaction;
  const fields = { ...rest, to: asHex(to), data: asHex(data) };
  const raw =
    authorizations.length === 0
      ? await account.signTransaction({ ...fields, type: 'eip1559' })
      : await account.signTransaction({
          ...{ ...fields, type: 'eip7702', authorizationList: authorizations.map(authorizationOf) },
        });
  return { raw, hash: keccak256(raw) };
}

const authorizationOf = ({ contract, r, s, ...rest }: SignedAuthorization) => ({
  ...{ ...rest, address: asHex(contract), r: asHex(r), s: asHex(s) },
});

async function authorizeWith(
  account: PrivateKeyAccount,
  { chainId, contract, nonce }: Pick<SignedAuthorization, 'chainId' | 'contract' | 'nonce'>,
): Promise<SignedAuthorization> {
  if (chainId === 0) throw new Error('an authorization names its chain');
  const signed = await account.signAuthorization({ chainId, nonce, contractAddress: asHex(contract) });
  const { r, s, yParity } = signed;
  if (yParity === undefined) throw new Error('a signature has the parity of its point');
  return { chainId, contract, nonce, yParity, r, s };
}
