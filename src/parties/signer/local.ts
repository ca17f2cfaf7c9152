import { bytesToHex, keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Database, Sql } from '../../kernel/db/database';
import { asHex, evmAddressOf } from '../chain/addresses';
import type { ChainKind, SignedAuthorization, UnsignedTransaction } from '../chain/port';
import { BRANCHES, publicKeyAt, withKey } from './derivation';
import type { Authorization, SignedTransaction, Signer } from './port';
import { ensureSeed, type SeedKeys, type WalletSeed, withEntropy } from './seed';
import { typedTransaction } from './typed';

export { ensureSeed } from './seed';

const ADDRESS = { evm: evmAddressOf } as const;

/**
 * Signs whatever it is given, with keys derived from our own seed, which is open only during a signature. It belongs to
 * the signing process, which judges each request first. The seed is made when first needed.
 */
export function createLocalSigner({ database, ...keys }: SeedKeys & { database: Database }): Signer {
  return {
    async addresses(kind: ChainKind, indices: readonly number[], tx?: Sql) {
      // Share-locked, so that an import of another seed waits, and then finds the wallets of these addresses.
      const seed = await ensureSeed(tx ?? database, keys, tx && { lock: 'share' });
      return indices.map((index) => addressAt(seed, kind, index));
    },
    sign: (index, transaction) => withAccount(index, (account) => signWith(account, transaction)),
    signAuthorization: (index, given) => withAccount(index, (account) => authorizeWith(account, given)),
  };

  /** Runs `work` with the account of a wallet, then wipes its key. */
  function withAccount<T>(index: number, work: (account: PrivateKeyAccount) => Promise<T>): Promise<T> {
    return withEntropy(database, keys.signerKeys, (entropy) =>
      withKey(entropy, `${BRANCHES.evm}/${index}`, async (key) => {
        const { privateKey } = key; // a copy
        if (!privateKey) throw new Error('the derived key lacks its private half');
        try {
          return await work(privateKeyToAccount(bytesToHex(privateKey)));
        } finally {
          privateKey.fill(0);
        }
      }),
    );
  }
}

/** The address of a wallet, derived from public keys alone. */
export const addressAt = (
  { publicKeys }: Pick<WalletSeed, 'publicKeys'>,
  kind: ChainKind,
  index: number,
): string => ADDRESS[kind](publicKeyAt(publicKeys[kind], index));

/** Signs with deterministic nonces (RFC 6979), so that a repeat gives the same bytes. */
async function signWith(
  account: PrivateKeyAccount,
  transaction: UnsignedTransaction,
): Promise<SignedTransaction> {
  if (account.address !== transaction.from)
    throw new Error(`the wallet at this index is ${account.address}, which is not the sender`);
  const typed = typedTransaction(transaction);
  const raw =
    typed.type === 'eip1559' ? await account.signTransaction(typed) : await account.signTransaction(typed);
  return { raw, hash: keccak256(raw) };
}

async function authorizeWith(
  account: PrivateKeyAccount,
  { chainId, contract, nonce }: Authorization,
): Promise<SignedAuthorization> {
  if (chainId === 0) throw new Error('an authorization needs a chain id above 0');
  const signed = await account.signAuthorization({ chainId, nonce, contractAddress: asHex(contract) });
  const { r, s, yParity } = signed;
  if (yParity === undefined) throw new Error('the signature lacks the parity of its point');
  return { chainId, contract, nonce, yParity, r, s };
}
