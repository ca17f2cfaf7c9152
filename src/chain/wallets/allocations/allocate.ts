import { assertFundable } from '../../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../../accounts/accounts/operations';
import type { Sql, Tx } from '../../../kernel/db/database';
import { alreadyExists, conflict, invalid } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import type { Services } from '../../../services';
import { assetOf, requireNetwork } from '../../networks/operations';
import type { Network, NetworkAsset } from '../../networks/record';
import { attested } from '../attestation';
import { type Allocation, type Wallet, type WalletScope, walletStatusAfter } from '../record';
import { laterBy, ttlOf } from '../rules';
import { deriveWallets } from '../seed/derive';
import { findWalletById, lockFreeWallet, updateWallets } from '../store';
import { holdOnAll } from './scope';
import { findAllocation, insertAllocation, type NewAllocation, rowsOfAllocation } from './store';
import { lockTenantLimit, takeWithinLimit } from './tenant-limit';
import { startAllocation } from './workflows';

export interface AllocationRequest {
  chain: string;
  /** A symbol of the network's assets. */
  asset: string;
  /** Account to credit. A deposit is converted when the account has another currency than the asset. */
  accountId: string;
  /** Unique within the tenant. */
  reference: string;
  /** Absent: allocated until released. */
  ttlSeconds?: number | undefined;
  /** Keeps the address for good, in place of `ttlSeconds`. */
  permanent?: boolean | undefined;
  /** Gives one address on all enabled networks of the EVM. Needs `permanent`. */
  scope?: WalletScope | undefined;
}

type Deriving = Pick<Services, 'database' | 'keyring' | 'parties'>;

/** An allocation and its wallet. */
export interface HeldWallet {
  allocation: Allocation;
  wallet: Wallet;
  /** Names of the networks of its scope. Absent without a scope. */
  networks?: string[];
}

/**
 * Allocates a pool wallet to one payer's deposits. Derives a new wallet when the tenant has no free one and no unused
 * one exists. A known reference returns its earlier allocation, whatever its state.
 * @returns whether the allocation is new
 * @throws Problem 404 naming `chain` or `accountId`; 400 naming `asset`, or `reference` as `ErrAlreadyExists` when it
 *   has other terms; 409 `invalid_transition` while the network is disabled, `account_closed`, `user_blocked`,
 *   `limit_exceeded`
 */
export async function allocateWallet(
  services: Deriving & Pick<Services, 'commands' | 'now' | 'walletQuarantineSeconds'>,
  tx: Tx,
  asked: AllocationRequest,
  reach: string | null,
): Promise<HeldWallet & { made: boolean }> {
  // Locked, so that nobody drops an asset while a wallet is allocated for it.
  const network = await requireNetwork(tx, asked.chain, { field: 'chain', lock: 'share' });
  const account = await requireAccount(tx, reach, asked.accountId, 'accountId');
  const { tenantId } = account;
  const ofTenant = { tenantId, quarantineSeconds: services.walletQuarantineSeconds };
  const room = await lockTenantLimit(tx, ofTenant);
  const before = await findAllocation(tx, { tenantId, reference: asked.reference });
  if (before) {
    const held = await sameTerms(tx, before, asked);
    return { ...held, wallet: await attested(services, held.wallet), made: false };
  }
  const asset = assetOf(network, asked.asset);
  if (!asset) throw invalid(`asset must be an asset of the network ${asked.chain}.`, 'asset');
  if (!network.enabled)
    throw conflict('invalid_transition', 'The network is disabled and takes no new payers.', 'chain');
  await assertFundable(tx, account, 'accountId');
  await takeWithinLimit(tx, room, { ...ofTenant, at: services.now() });
  return { ...(await hold(services, tx, network, asset, { ...asked, tenantId })), made: true };
}

async function sameTerms(tx: Tx, before: Allocation, asked: AllocationRequest): Promise<HeldWallet> {
  const isSame =
    (['chain', 'asset', 'accountId'] as const).every((term) => before[term] === asked[term]) &&
    ttlOf(before) === asked.ttlSeconds &&
    before.permanent === (asked.permanent ?? false) &&
    before.scope === (asked.scope ?? null);
  if (!isSame) throw alreadyExists('reference belongs to an allocation with other terms.', 'reference');
  const wallet = await findWalletById(tx, before.walletId);
  if (!wallet) throw new Error(`the wallet ${before.walletId} of an allocation does not exist`);
  return { allocation: before, wallet, ...(await networksOf(tx, before)) };
}

/** The networks of a scope's allocation. */
export const networksOf = async (
  sql: Sql,
  allocation: Pick<Allocation, 'id' | 'scope' | 'scopeOf'>,
): Promise<Pick<HeldWallet, 'networks'>> =>
  allocation.scope === null
    ? {}
    : { networks: (await rowsOfAllocation(sql, allocation)).map(({ chain }) => chain) };

async function hold(
  services: Deriving & Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  network: Network,
  asset: NetworkAsset,
  { ttlSeconds, permanent = false, scope = null, ...terms }: Asked & { tenantId: string },
): Promise<HeldWallet> {
  const startedAt = services.now();
  const id = newId('walletAllocation');
  const expiresAt = ttlSeconds === undefined ? null : laterBy(startedAt, ttlSeconds);
  const all = { id, ...terms, permanent, scope, scopeOf: null, startedAt, expiresAt };
  const taken =
    scope === null
      ? await holdOnOne(services, tx, network, asset, all)
      : await holdOnAll(services, tx, network, all);
  // An allocation without an end needs no timer.
  if (expiresAt !== null) services.commands.append(tx, [startAllocation({ id, tenantId: terms.tenantId })]);
  const allocation = await findAllocation(tx, { id });
  if (!allocation) throw new Error(`the allocation ${id} was not stored`);
  return { allocation, wallet: taken, ...(await networksOf(tx, allocation)) };
}

type Asked = Omit<AllocationRequest, 'scope'> & { scope?: WalletScope | null | undefined };

async function holdOnOne(
  services: Deriving,
  tx: Tx,
  network: Network,
  { contract }: NetworkAsset,
  terms: Omit<NewAllocation, 'walletId' | 'address'>,
): Promise<Wallet> {
  const { tenantId, startedAt: at, asset } = terms;
  const taken = await takeWallet(services, tx, network, { tenantId, forNative: contract === null, at });
  await insertAllocation(tx, { ...terms, walletId: taken.id, address: taken.address });
  await openBooks(tx, network.chain, asset);
  return taken;
}

/** Opens the ledger accounts before the first deposit. */
async function openBooks(tx: Tx, chain: string, asset: string): Promise<void> {
  await ensureInternalAccounts(tx, asset);
  await ensureChainAccounts(tx, chain, asset);
}

/** Takes a wallet, which stays with the tenant for ever. A late payment must not reach another tenant. */
async function takeWallet(
  services: Deriving,
  tx: Tx,
  { chain, kind }: Network,
  { tenantId, forNative, at }: { tenantId: string; forNative: boolean; at: Date },
): Promise<Wallet> {
  const free =
    (await lockFreeWallet(tx, { chain, tenantId, forNative }, at)) ??
    (await deriveWallets(services, tx, { chain, kind, count: 1, purpose: 'pool' }))[0];
  if (!free) throw new Error('no wallet was derived');
  await attested(services, free);
  const status = walletStatusAfter(free.status, 'allocate');
  const [taken] = await updateWallets(tx, [free.id], {
    status,
    tenantId,
    quarantinedUntil: null,
    ...(forNative && { boundTo: 'native_coin' }),
  });
  return taken as Wallet;
}
