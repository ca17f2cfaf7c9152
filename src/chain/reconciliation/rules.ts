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
 * What a chain has of ours is what the books say, and what is on the chain by then and not in them:
 * - deposits that are seen and not final yet, or gone and not taken back yet;
 * - what transactions of ours have moved, and paid for gas, before they are booked;
 * - what has come to stations and is not final yet;
 * - units that the ledger has no decimals for.
 * All of it is known exactly, so what is left is a difference: there is no tolerance.
 */

/** Sums by {@link sumKey}. */
export class Sums extends Map<string, Decimal> {
  add(place: ChainPlace, asset: string, amount: Decimal): void {
    const key = sumKey(place, asset);
    this.set(key, (this.get(key) ?? ZERO).plus(amount));
  }
}

/** What can stand at an address: the assets of the network, and the native coin that pays for gas. */
export interface ReadAsset {
  symbol: string;
  contract: string | null;
  decimals: number;
}

export function assetsToRead(network: Pick<Network, 'assets' | 'kind'>): ReadAsset[] {
  const symbol = nativeSymbol(network);
  const tokens = network.assets.filter(({ contract }) => contract !== null);
  if (symbol === undefined) return tokens;
  // The native coin has its chain's decimals, whatever is configured.
  return [...tokens, { symbol, contract: null, decimals: NATIVE_DECIMALS[network.kind] }];
}

export interface Whereabouts {
  assets: readonly ReadAsset[];
  placeOf(address: string): ChainPlace | undefined;
}

/** Of an address, where it is ours. */
export function placesOf(addresses: Readonly<Record<ChainPlace, readonly string[]>>): Whereabouts['placeOf'] {
  const places = new Map(CHAIN_PLACES.flatMap((place) => addresses[place].map((each) => [each, place])));
  return (address) => places.get(address);
}

/** Adds what a transaction of ours has done by the block, of each of its operations that is not in the books. */
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

/** Of each place and asset; those at which there is nothing, and should not be, are left out but for those in `also`. */
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
 * A person is shown what has differed for so long: two readings of the schedule at least, for what ends between the books and the
 * block passes with the next. Milliseconds.
 */
const LASTS_MS = 4 * 60_000;

export const hasLasted = ({ differsSince, readAt }: Pick<ChainReading, 'differsSince' | 'readAt'>): boolean =>
  differsSince !== null && readAt.getTime() - differsSince.getTime() >= LASTS_MS;
