import { type Decimal, ZERO } from '../../kernel/money/money';
import { isMined } from '../../parties/chain/agreement';
import type { ChainTransaction } from '../../parties/chain/port';
import { executionOf, type OwnPart } from '../gas-station/own-transactions';
import { nativeSymbol } from '../gas-station/rules';
import { CHAIN_PLACES, type ChainPlace, sumKey } from '../holdings/record';
import type { Network } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS } from '../networks/rules';
import type { ChainReading, Compared } from './record';

/**
 * Our balance on a chain equals the books plus these known, unbooked amounts:
 * - deposits that are not final yet, or that the chain has taken back and the books have not;
 * - effects of our own transactions, gas included, before they are booked;
 * - coins that arrived at stations and are not final yet;
 * - units below the ledger's decimals;
 * - tokens that came, or that a recovery moved, before the network listed them.
 * These amounts are exact. Any remainder is a difference, without tolerance.
 */

/** Sums by {@link sumKey}. */
export class Sums extends Map<string, Decimal> {
  add(place: ChainPlace, asset: string, amount: Decimal): void {
    const key = sumKey(place, asset);
    this.set(key, (this.get(key) ?? ZERO).plus(amount));
  }
}

/** An asset to read at an address: an asset of the network, or the native coin that pays gas. */
export interface ReadAsset {
  symbol: string;
  contract: string | null;
  decimals: number;
}

export function assetsToRead(network: Pick<Network, 'assets' | 'kind'>): ReadAsset[] {
  const symbol = nativeSymbol(network);
  const tokens = network.assets.filter(({ contract }) => contract !== null);
  if (symbol === undefined) return tokens;
  // The native coin has its chain's decimals, whatever the network configures.
  return [...tokens, { symbol, contract: null, decimals: NATIVE_DECIMALS[network.kind] }];
}

export interface Whereabouts {
  assets: readonly ReadAsset[];
  placeOf(address: string): ChainPlace | undefined;
}

/** Returns a look-up of the place of an address. Undefined for an address that is not ours. */
export function placesOf(addresses: Readonly<Record<ChainPlace, readonly string[]>>): Whereabouts['placeOf'] {
  const places = new Map(CHAIN_PLACES.flatMap((place) => addresses[place].map((each) => [each, place])));
  return (address) => places.get(address);
}

/** Adds the effects of a mined transaction of ours, for each of its operations that is not booked. */
export function addEffects(
  sums: Sums,
  transaction: ChainTransaction,
  { parts, upTo, ...where }: Whereabouts & { parts: readonly OwnPart[]; upTo: number },
): void {
  if (!isMined(transaction) || transaction.block.number > upTo) return;
  for (const part of parts.filter(({ isBooked }) => !isBooked)) {
    const { fromAddress, toAddress, token } = part;
    const done = executionOf(part, transaction, parts.length - 1);
    if (!done) continue;
    addChange(sums, { address: fromAddress, token, units: -(done.moved + done.lost) }, where);
    addChange(sums, { address: toAddress, token, units: done.moved }, where);
    addChange(sums, { address: transaction.from, token: null, units: -done.fee }, where);
  }
}

function addChange(
  sums: Sums,
  { address, token, units }: { address: string; token: string | null; units: bigint },
  { assets, placeOf }: Whereabouts,
): void {
  const [place, asset] = [placeOf(address), assets.find(({ contract }) => contract === token)];
  if (place && asset) sums.add(place, asset.symbol, fromUnits(units, asset.decimals));
}

/** Compares each place and asset. Leaves out lines whose amounts are all zero, except those in `also`. */
export function compared(
  assets: readonly ReadAsset[],
  sums: Record<'reported' | 'booked' | 'unbooked', ReadonlyMap<string, Decimal>>,
  also: ReadonlySet<string> = new Set(),
): Compared[] {
  const lines = CHAIN_PLACES.flatMap((place) =>
    assets.map(({ symbol: asset }): Compared => {
      const of = (which: keyof typeof sums) => sums[which].get(sumKey(place, asset)) ?? ZERO;
      const [reported, booked, unbooked] = [of('reported'), of('booked'), of('unbooked')];
      const difference = reported.minus(booked).minus(unbooked);
      return { place, asset, reported, booked, unbooked, difference };
    }),
  );
  return lines.filter(
    ({ place, asset, reported, booked, unbooked }) =>
      also.has(sumKey(place, asset)) || [reported, booked, unbooked].some((amount) => !amount.isZero()),
  );
}

/**
 * A difference is shown after this time, so at least two readings have seen it. A difference between the moment of the
 * books and the block passes with the next reading. Milliseconds.
 */
const LASTS_MS = 4 * 60_000;

export const hasLasted = ({ differsSince, readAt }: Pick<ChainReading, 'differsSince' | 'readAt'>): boolean =>
  differsSince !== null && readAt.getTime() - differsSince.getTime() >= LASTS_MS;
