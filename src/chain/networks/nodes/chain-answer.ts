import { unavailable } from '../../../kernel/errors';
import { ChainRefused } from '../../../parties/chain/errors';
import { PartyAway } from '../../../process/party-errors';

/**
 * Awaits an answer that a request needs from the chain now.
 * @throws Problem 503 when no node answers, or when a node denies a configured token, which may be temporary
 */
export async function requireChainAnswer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof PartyAway || isUnknownToken(error)
      ? unavailable('The chain cannot be reached now; nothing was recorded.')
      : error;
  }
}

const isUnknownToken = (error: unknown) => error instanceof ChainRefused && error.code === 'no_token';
