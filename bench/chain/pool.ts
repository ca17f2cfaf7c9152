import type { Address, Hex } from 'viem';
import { deriveWallets } from '../../src/chain/wallets/operations';
import type { Wallet } from '../../src/chain/wallets/record';
import type { Composed } from '../../src/composition';
import { newId } from '../../src/kernel/ids';
import { ensureSeed } from '../../src/parties/signer/seed';
import type { TestChain } from '../../test/support/chain';
import { masterKeysOf } from '../../test/support/keyring';
import type { Bench } from '../servers';

/** Payment to each wallet, in units of the test USDT. */
export const PAID = 5_000_000n;

/** Stores a seed, which the signing process makes in an installation, so that this process can derive wallets. */
export const storeSeed = (bench: Bench, { database, keyring }: Composed) =>
  ensureSeed(database, { keyring, signerKeys: masterKeysOf(bench.signerKeys) });

/** Creates wallets of the pool. Each was allocated before any block, so that the service sweeps it. */
export async function poolOf({ database, ...services }: Composed, chain: string, count: number) {
  const wallets = await database.transaction((tx) =>
    deriveWallets({ ...services }, tx, { chain, kind: 'evm', count, purpose: 'pool' }),
  );
  const tenant = newId('tenant');
  for (const { id } of wallets)
    await database.query(
      `with held as (update wallets set tenant_id = $3 where id = $2)
       insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, ended_at, created_at, updated_at)
       values ($1, $2, $3, $3, 'USDT', $4, now() - interval '1 day', now() - interval '1 hour', now(), now())`,
      [newId('walletAllocation'), id, tenant, newId('reference')],
    );
  return wallets;
}

/** @param perBlock payments in each block, with manual mining */
export async function payAll(
  chain: TestChain,
  token: Address,
  wallets: readonly Pick<Wallet, 'address'>[],
  perBlock?: number,
): Promise<Hex[]> {
  const hashes: Hex[] = [];
  for (const { address } of wallets) {
    hashes.push(await chain.pay(token, address, PAID));
    if (perBlock !== undefined && hashes.length % perBlock === 0) await chain.client.mine({ blocks: 1 });
  }
  return hashes;
}

/** Runs the work with this concurrency. */
export async function atOnce<T>(workers: number, all: readonly T[], work: (each: T) => Promise<unknown>) {
  const left = [...all];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** @returns seconds */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
