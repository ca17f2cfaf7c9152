import { anyOf } from '../../../kernel/db/build';
import type { Database, Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import type { Keyring } from '../../../kernel/security/keyring';
import { addressAt } from '../../../parties/signer/local';
import { findSeed, type WalletSeed } from '../../../parties/signer/seed';
import { enabledNetworks } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { adoptWallets } from '../adopt';
import type { Wallet } from '../record';
import { insertWallets, lockDerivation, wallets } from '../store';
import { attestedWallet } from './derive';
import { rolesOf } from './named-addresses';

/** Wallets that are made in one transaction. */
const PORTION = 500;

/** The result of a recovery. */
export interface Restored {
  made: number;
  /** Indexes that got no wallet, because the address has another use on the network, or another system holds the index's key. */
  notMade: { chain: string; index: number }[];
}

/** Earlier payers may pay the address in the native coin, with 21,000 gas. */
const BOND = 'native_coin' as const;

/**
 * Gives enabled networks a wallet for each index of the seed up to the given one, after a recovery into an installation that lacks
 * them. The wallets are watched, compared with the books and swept of booked money. No new payer gets one, because earlier payers have
 * their addresses. An index of a scope stays in its scope. Idempotent, and done in portions, so it can be interrupted. The caller has
 * raised the floor above the indexes, so that no payer gets one meanwhile.
 * @param chains names of networks
 * @throws Problem 409 without a seed
 */
export async function restoreWallets(
  { database, keyring }: { database: Database; keyring: Keyring },
  { chains, to }: { chains: readonly string[]; to: number },
): Promise<Restored> {
  const seed = await findSeed(database, keyring);
  if (!seed) throw conflict('invalid_transition', 'There is no seed yet: import one.');
  const all: Restored = { made: 0, notMade: [] };
  for (const network of await enabledNetworks(database))
    for (let first = 0; chains.includes(network.chain) && first <= to; first += PORTION) {
      const count = Math.min(PORTION, to + 1 - first);
      const places = Array.from({ length: count }, (_, place) => placeAt(seed, network, first + place));
      const { made, notMade } = await database.transaction((tx) =>
        restorePortion({ keyring }, tx, network, places),
      );
      all.made += made;
      all.notMade.push(...notMade);
    }
  return all;
}

type Place = Pick<Wallet, 'derivationIndex' | 'address'>;

const placeAt = (seed: WalletSeed, { kind }: Network, derivationIndex: number): Place => ({
  derivationIndex,
  address: addressAt(seed, kind, derivationIndex),
});

async function restorePortion(
  deps: { keyring: Keyring },
  tx: Tx,
  network: Network,
  places: readonly Place[],
): Promise<Restored> {
  const { chain, kind } = network;
  await lockDerivation(tx, kind); // naming an address takes the same lock
  const indices = places.map(({ derivationIndex }) => derivationIndex);
  const there = await wallets.all(tx, wallets().where({ kind }).where(anyOf('derivationIndex', indices)));
  const taken = indicesOf(there);
  const own = new Set(there.flatMap((wallet) => (wallet.chain === chain ? [wallet.address] : [])));
  const missing = places.filter(({ address }) => !own.has(address));
  const named = await rolesOf(
    tx,
    chain,
    missing.map(({ address }) => address),
  );
  const free = missing.filter(({ address }) => !named.has(address));
  // The index of a held key has an address that is not of the seed, so adopting passes the index over.
  const known = free.filter(({ derivationIndex }) => taken.has(derivationIndex));
  const fresh = free.filter(({ derivationIndex }) => !taken.has(derivationIndex));
  const adopted = await adoptWallets(
    deps,
    tx,
    network,
    known.map(({ address }) => address),
    BOND,
  );
  const rows = fresh.map((of) => ({
    ...attestedWallet(deps.keyring, { ...of, chain, purpose: 'pool', scope: null }),
    boundTo: BOND,
    adopted: true as const,
  }));
  const made = indicesOf([...adopted, ...(await insertWallets(tx, kind, rows))]);
  const notMade = missing.flatMap(({ derivationIndex: index }) =>
    made.has(index) ? [] : [{ chain, index }],
  );
  return { made: made.size, notMade };
}

const indicesOf = (some: readonly Wallet[]): ReadonlySet<number> =>
  new Set(some.map(({ derivationIndex }) => derivationIndex));
