import { z } from 'zod';
import { type Page, pageOf, pageQuery, positionOf, positionPart } from '../../../kernel/wire/pages';
import type { Wallet } from '../../wallets/record';

/** Page parameters of a list of candidates. `from` and `to` compare the wallet's `createdAt`. */
export type CandidateQuery = z.output<z.ZodObject<typeof pageQuery>>;

interface Candidate {
  wallet: Pick<Wallet, 'id' | 'createdAt'>;
  /** Present in lists that have a row for each wallet and asset. */
  asset?: { symbol: string };
}

const position = z.tuple([positionPart.id('wallet'), z.string().max(20)]);
const placeOf = ({ wallet, asset }: Candidate): [id: string, symbol: string] => [
  wallet.id,
  asset?.symbol ?? '',
];

/** Orders by wallet, newest first, then by asset. */
function byPlace([id, symbol]: readonly [string, string], [otherId, otherSymbol]: readonly [string, string]) {
  if (id !== otherId) return id > otherId ? -1 : 1;
  return symbol < otherSymbol ? -1 : Number(symbol > otherSymbol);
}

/**
 * Returns a page of candidates that were just read from the chain. The cursor names a wallet and an asset, so a sweep
 * between two pages shifts nothing.
 * @param read called after the cursor was checked
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
