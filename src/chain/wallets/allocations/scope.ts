import type { Sql, Tx } from '../../../kernel/db/database';
import { newId } from '../../../kernel/ids';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import type { Services } from '../../../services';
import { assetOf, findNetwork, lockEnabledNetworks } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { attested } from '../attestation';
import { type Wallet, walletStatusAfter } from '../record';
import { attestedWallet, deriveWallets } from '../seed/derive';
import { namedAddresses } from '../seed/named-addresses';
import { insertWallets, lockDerivation, updateWallets } from '../store';
import { findFreeIndex, lockIndex, walletsOfIndices } from './scope-store';
import { insertAllocation, insertAllocations, type NewAllocation, openOfScope } from './store';

/**
 * One derivation index on all enabled networks of a scope. Its allocation has a row for each network, and the first row
 * is that of the network that the client has named. The derivation lock serialises these allocations with the networks
 * that are enabled, so that each network joins each allocation once.
 */

type Deriving = Pick<Services, 'database' | 'keyring' | 'parties'>;

/** An open allocation of a scope by its first row, with the index of its wallet. */
export type ScopeAllocation = NewAllocation & Pick<Wallet, 'derivationIndex'>;

/**
 * Allocates an index on the network and on all other enabled ones of its kind.
 * @returns the wallet on the named network
 */
export async function holdOnAll(
  services: Deriving,
  tx: Tx,
  network: Network,
  terms: Omit<NewAllocation, 'walletId' | 'chain' | 'address'>,
): Promise<Wallet> {
  await lockDerivation(tx, network.kind);
  // A network that is being saved now joins by itself, after this transaction.
  const enabled = await lockEnabledNetworks(tx, network.kind);
  const others = enabled.filter(({ chain }) => chain !== network.chain);
  const isNative = (each: Network) => assetOf(each, terms.asset)?.contract === null;
  const asked = { chain: network.chain, tenantId: terms.tenantId, forNative: enabled.some(isNative) };
  const free =
    (await takeFree(services, tx, asked, terms.startedAt)) ??
    (await deriveFirst(services, tx, network, others));
  const { id: walletId, chain, address, derivationIndex, status } = free;
  const [taken] = await updateWallets(tx, [walletId], {
    status: walletStatusAfter(status, 'allocate'),
    tenantId: terms.tenantId,
    quarantinedUntil: null,
    ...(isNative(network) && { boundTo: 'native_coin' }),
  });
  const first = { ...terms, walletId, chain, address };
  await insertAllocation(tx, first);
  await openBooks(tx, network, terms.asset);
  for (const other of others)
    await join(services, tx, other, [{ ...first, derivationIndex }], terms.startedAt);
  return taken as Wallet;
}

/** Takes an index that the tenant had and that is free on every network. @returns its wallet on the named network */
async function takeFree(
  services: Deriving,
  tx: Tx,
  asked: { chain: string; tenantId: string; forNative: boolean },
  at: Date,
): Promise<Wallet | undefined> {
  const found = await findFreeIndex(tx, asked, at);
  if (!found) return undefined;
  await lockIndex(tx, found);
  // A sweep may have begun before the lock.
  const free = await findFreeIndex(tx, asked, at);
  return free?.id === found.id ? attested(services, free) : undefined;
}

/** Derives a new index, whose address no network has named for another use. */
async function deriveFirst(
  services: Deriving,
  tx: Tx,
  { chain, kind }: Network,
  others: readonly Network[],
): Promise<Wallet> {
  const except = (await Promise.all(others.map((other) => addressesNamed(tx, other)))).flat();
  const [derived] = await deriveWallets(services, tx, {
    chain,
    kind,
    count: 1,
    purpose: 'pool',
    scope: 'evm',
    except,
  });
  if (!derived) throw new Error('no wallet was derived');
  return derived;
}

async function addressesNamed(sql: Sql, { chain }: Network): Promise<string[]> {
  const { station, treasury } = await namedAddresses(sql, chain);
  return [...station, ...treasury];
}

/** Opens the ledger accounts before the first deposit, where the network carries the asset. */
async function openBooks(tx: Tx, network: Network, asset: string): Promise<void> {
  if (!assetOf(network, asset)) return;
  await ensureInternalAccounts(tx, asset);
  await ensureChainAccounts(tx, network.chain, asset);
}

/** Allocations that a network joins in one statement. */
const PORTION = 1_000;

/**
 * Joins a network that is enabled to all open allocations of its scope. Idempotent. The caller has saved the network,
 * and an allocation at the same time waits for its commit.
 * @returns how many it has joined
 */
export async function joinScope(
  services: Pick<Services, 'database' | 'keyring'>,
  tx: Tx,
  chain: string,
  at: Date,
): Promise<number> {
  const network = await findNetwork(tx, chain);
  if (!network?.enabled) return 0;
  await lockDerivation(tx, network.kind);
  let joined = 0;
  for (let after = ''; ; ) {
    const open = await openOfScope(tx, { chain, after, limit: PORTION });
    joined += await join(services, tx, network, open, at);
    const last = open.at(-1);
    if (last === undefined || open.length < PORTION) return joined;
    after = last.id;
  }
}

/**
 * Gives each allocation the wallet of its index on one more network. The caller holds the derivation lock.
 * @returns how many have joined
 */
async function join(
  services: Pick<Services, 'database' | 'keyring'>,
  tx: Tx,
  network: Network,
  open: readonly ScopeAllocation[],
  at: Date,
): Promise<number> {
  if (open.length === 0) return 0;
  const indices = open.map(({ derivationIndex }) => derivationIndex);
  const known = byIndex(await walletsOfIndices(tx, network, indices));
  const fresh = open.filter(({ derivationIndex }) => !known.has(derivationIndex));
  const made = byIndex(await insertMembers(services, tx, network, fresh));
  const members: NewAllocation[] = [];
  for (const { derivationIndex, ...first } of open) {
    const wallet =
      made.get(derivationIndex) ??
      (await takeKnown(services, tx, network, first, known.get(derivationIndex)));
    if (!wallet) continue;
    const own = { walletId: wallet.id, chain: network.chain, startedAt: at };
    members.push({ ...first, ...own, id: newId('walletAllocation'), scopeOf: first.id });
  }
  await insertAllocations(tx, members);
  for (const asset of new Set(members.map((each) => each.asset))) await openBooks(tx, network, asset);
  return members.length;
}

const byIndex = (all: readonly Wallet[]): ReadonlyMap<number, Wallet> =>
  new Map(all.map((wallet) => [wallet.derivationIndex, wallet]));

/** Inserts allocated wallets. Leaves out addresses that the network has named, because an address has one use for ever. */
async function insertMembers(
  { keyring }: Pick<Services, 'keyring'>,
  tx: Tx,
  network: Network,
  fresh: readonly ScopeAllocation[],
): Promise<Wallet[]> {
  const { chain, kind } = network;
  const named = new Set(await addressesNamed(tx, network));
  const rows = fresh
    .filter(({ address }) => !named.has(address))
    .map(({ derivationIndex, address, tenantId, asset }) => ({
      ...attestedWallet(keyring, { chain, address, derivationIndex, purpose: 'pool', scope: 'evm' }),
      status: 'allocated' as const,
      tenantId,
      boundTo: bondOf(network, asset),
    }));
  return insertWallets(tx, kind, rows);
}

const bondOf = (network: Network, symbol: string) =>
  assetOf(network, symbol)?.contract === null ? ('native_coin' as const) : null;

/**
 * Allocates the wallet that a network has had before.
 * @returns undefined when an operator has disabled it, or when it is held already
 */
async function takeKnown(
  services: Pick<Services, 'database' | 'keyring'>,
  tx: Tx,
  network: Network,
  { asset }: Pick<NewAllocation, 'asset'>,
  wallet: Wallet | undefined,
): Promise<Wallet | undefined> {
  if (wallet?.status !== 'available' && wallet?.status !== 'quarantined') return undefined;
  await attested(services, wallet);
  const status = walletStatusAfter(wallet.status, 'allocate');
  const bond = wallet.boundTo === null ? bondOf(network, asset) : null;
  const [taken] = await updateWallets(tx, [wallet.id], {
    status,
    quarantinedUntil: null,
    ...(bond && { boundTo: bond }),
  });
  return taken;
}
