import type { Database } from '../../../kernel/db/database';
import { conflict, notFound } from '../../../kernel/errors';
import type { Decimal } from '../../../kernel/money/money';
import type { ChainNode } from '../../../parties/chain/port';
import { addressAt } from '../../../parties/signer/local';
import { findSeed, type WalletSeed } from '../../../parties/signer/seed';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { undefinedIfNoToken } from '../../networks/nodes/no-token';
import { type AskingChains, nodeOf } from '../../networks/nodes/nodes';
import { enabledNetworks } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { fromUnits, NATIVE_DECIMALS } from '../../networks/rules';
import { findWallet } from '../store';

export interface ScanRange {
  /** Ends after this many indexes in a row without money or a transaction on any chain. */
  gap: number;
  /** The highest index to ask for. Absent: the gap ends the scan. */
  to?: number | undefined;
  /** Absent: all enabled networks. */
  chain?: string | undefined;
}

/** Money on an address of the seed. */
export interface FoundBalance {
  index: number;
  address: string;
  chain: string;
  asset: string;
  /** Exact, in the asset. */
  balance: Decimal;
  /** Whether the installation has a wallet of that address, and so watches it. */
  isKnown: boolean;
}

export interface Scan {
  chains: string[];
  /** How many indexes were asked for, from 0. */
  indexes: number;
  /** The highest index that has money or, in a scan without an end, has sent a transaction. Null: there is none. */
  usedTo: number | null;
  found: FoundBalance[];
  /** `chain:asset` whose contract does not answer. */
  unreadable: string[];
}

/** Indexes that are asked for together. */
const PORTION = 50;

/**
 * Derives the seed's addresses and asks the chains' nodes for their balances. Writes nothing.
 * @throws Problem 409 without a seed or an enabled network; 404 naming `chain`; 503 while a chain cannot be asked
 */
export async function scanSeed(
  services: AskingChains & { database: Database },
  { gap, to, chain }: ScanRange,
): Promise<Scan> {
  const { database, keyring } = services;
  const seed = await findSeed(database, keyring);
  if (!seed) throw conflict('invalid_transition', 'There is no seed yet: import one.');
  const enabled = await enabledNetworks(database);
  const networks = enabled.filter((network) => chain === undefined || network.chain === chain);
  if (chain !== undefined && networks.length === 0) throw notFound('network', 'chain');
  if (networks.length === 0)
    throw conflict('invalid_transition', 'No network is enabled: configure the networks to look at.');
  const scan: Scan = {
    chains: networks.map((each) => each.chain),
    indexes: 0,
    usedTo: null,
    found: [],
    unreadable: [],
  };
  let empty = 0;
  while (to === undefined ? empty < gap : scan.indexes <= to) {
    const first = scan.indexes;
    const count = to === undefined ? PORTION : Math.min(PORTION, to + 1 - first);
    const addresses = addressesOf(seed, first, count);
    const found = (
      await Promise.all(networks.map((each) => moneyOf(services, each, addresses, scan)))
    ).flat();
    const used = new Set(found.map(({ index }) => index));
    // With an end, nobody needs to know where the used addresses end, and the question is dear.
    for (const each of to === undefined ? networks : [])
      for (const index of await sendersAmong(services, each, addresses)) used.add(index);
    for (const { index } of addresses) {
      empty = used.has(index) ? 0 : empty + 1;
      if (used.has(index)) scan.usedTo = index;
    }
    scan.found.push(...found);
    scan.indexes += count;
  }
  scan.found.sort((one, other) => one.index - other.index);
  return scan;
}

interface Place {
  index: number;
  address: string;
}

const addressesOf = (seed: WalletSeed, first: number, count: number): Place[] =>
  Array.from({ length: count }, (_, place) => ({
    index: first + place,
    address: addressAt(seed, 'evm', first + place),
  }));

/** The balances above zero of one network. */
async function moneyOf(
  services: AskingChains & { database: Database },
  network: Network,
  places: readonly Place[],
  { unreadable }: Scan,
): Promise<FoundBalance[]> {
  const { node } = await nodeOf(services, services.database, network.chain);
  const found: FoundBalance[] = [];
  for (const { symbol: asset, contract, decimals } of assetsOf(network)) {
    const units = await unitsOf(node, places, contract);
    const name = `${network.chain}:${asset}`;
    if (!units && !unreadable.includes(name)) unreadable.push(name);
    for (const [place, { index, address }] of places.entries()) {
      const there = units?.[place] ?? 0n;
      if (there === 0n) continue;
      const isKnown = (await findWallet(services.database, network.chain, address)) !== undefined;
      const balance = fromUnits(there, decimals);
      found.push({ index, address, chain: network.chain, asset, balance, isKnown });
    }
  }
  return found;
}

/** Indexes whose address has sent a transaction, or signed a delegation. Swept addresses have no money any more. */
async function sendersAmong(
  services: AskingChains & { database: Database },
  network: Network,
  places: readonly Place[],
): Promise<number[]> {
  const { node } = await nodeOf(services, services.database, network.chain);
  const nonces = await requireChainAnswer(Promise.all(places.map(({ address }) => node.nonce(address))));
  return places.filter((_, at) => (nonces[at] ?? 0) > 0).map(({ index }) => index);
}

const unitsOf = (node: ChainNode, places: readonly Place[], contract: string | null) =>
  requireChainAnswer(
    undefinedIfNoToken(
      node.balances(
        places.map(({ address }) => address),
        contract,
      ),
    ),
  );

/** The listed assets, and the native coin where the network does not list it, because gas lies on wallets. */
function assetsOf({
  kind,
  assets,
}: Network): Pick<Network['assets'][number], 'symbol' | 'contract' | 'decimals'>[] {
  if (assets.some(({ contract }) => contract === null)) return [...assets];
  return [{ symbol: 'native coin', contract: null, decimals: NATIVE_DECIMALS[kind] }, ...assets];
}
