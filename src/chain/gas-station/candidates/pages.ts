import { z } from 'zod';
import { type Page, pageOf, pageQuery, positionOf, positionPart } from '../../../kernel/wire/pages';
import type { Wallet } from '../../wallets/record';

/** What every list of candidates takes beside its filters: of the wallet's `createdAt`. */
export type CandidateQuery = z.output<z.ZodObject<typeof pageQuery>>;

interface Candidate {
  wallet: Pick<Wallet, 'id' | 'createdAt'>;
  /** Where a wallet is there once for each of its assets. */
  asset?: { symbol: string };
}

const position = z.tuple([positionPart.id('wallet'), z.string().max(20)]);
const placeOf = ({ wallet, asset }: Candidate): [id: string, symbol: string] => [
  wallet.id,
  asset?.symbol ?? '',
];

/** The newest wallet first, and its assets by their names. */
function byPlace([id, symbol]: readonly [string, string], [otherId, otherSymbol]: readonly [string, string]) {
  if (id !== otherId) return id > otherId ? -1 : 1;
  return symbol < otherSymbol ? -1 : Number(symbol > otherSymbol);
}

/**
 * A page of what was read from the chain just now: the cursor names a wallet and an asset, so what is swept between two pages moves
 * nothing.
 * @param read is asked after the cursor was judged
 * @throws Problem 400 for a cursor of another list
 */
export async function candidatePage<C extends Candidate, T>(
  { limit, cursor, from, to }: CandidateQuery,
  read: () => Promise<readonly C[]>,
  show: (candidate: C) => T,
): Promise<Page<T>> {
  const after = positionOf(cursor, position);
  const isWanted = (candidate: C) =>
    (from === undefined || candidate.wallet.createdAt >= from) &&
    (to === undefined || candidate.wallet.createdAt < to) &&
    (after === undefined || byPlace(placeOf(candidate), after) > 0);
  const found = (await read()).filter(isWanted);
  found.sort((one, other) => byPlace(placeOf(one), placeOf(other)));
  return pageOf(found, limit, placeOf, show);
}
