import { anyOf } from '../../../kernel/db/build';
import type { Database, Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import type { Keyring } from '../../../kernel/security/keyring';
import { addressAt } from '../../../parties/signer/local';
import { findSeed, type WalletSeed } from '../../../parties/signer/seed';
import { enabledNetworks } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { insertWallets, lockDerivation, wallets } from '../store';
import { attestedWallet } from './derive';
import { namedAddresses } from './named-addresses';

/** Wallets that are made in one transaction. */
const PORTION = 500;

/**
 * Gives enabled networks a wallet for each index of the seed up to the given one, after a recovery into an installation that lacks
 * them. The wallets are watched, compared with the books and swept of booked money. No payer gets one, because earlier payers have
 * their addresses. Idempotent, and done in portions, so it can be interrupted.
 * @param chains names of networks
 * @returns how many wallets were made
 * @throws Problem 409 without a seed
 */
export async function restoreWallets(
  { database, keyring }: { database: Database; keyring: Keyring },
  { chains, to }: { chains: readonly string[]; to: number },
): Promise<number> {
  const seed = await findSeed(database, keyring);
  if (!seed) throw conflict('invalid_transition', 'There is no seed yet: import one.');
  let made = 0;
  for (const network of await enabledNetworks(database))
    for (let first = 0; chains.includes(network.chain) && first <= to; first += PORTION) {
      const count = Math.min(PORTION, to + 1 - first);
      const portion = { seed, first, count };
      made += await database.transaction((tx) => restorePortion(tx, keyring, network, portion));
    }
  return made;
}

async function restorePortion(
  tx: Tx,
  keyring: Keyring,
  network: Network,
  { seed, first, count }: { seed: WalletSeed; first: number; count: number },
): Promise<number> {
  const { chain, kind } = network;
  await lockDerivation(tx, kind); // naming an address takes the same lock
  const indices = Array.from({ length: count }, (_, place) => first + place);
  const ofIndices = wallets().where({ chain, kind }).where(anyOf('derivationIndex', indices));
  const there = await wallets.all(tx, ofIndices);
  const known = new Set(there.map(({ derivationIndex }) => derivationIndex));
  const named = await namedAddresses(tx, chain);
  const except = new Set([...named.station, ...named.treasury]);
  const rows = indices
    .filter((index) => !known.has(index))
    .map((derivationIndex) => ({ derivationIndex, address: addressAt(seed, kind, derivationIndex) }))
    .filter(({ address }) => !except.has(address))
    .map((of) => ({
      ...attestedWallet(keyring, { ...of, chain, purpose: 'pool', scope: null }),
      adopted: true as const,
    }));
  return (await insertWallets(tx, kind, rows)).length;
}
