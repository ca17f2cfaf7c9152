import { unavailable } from '../../kernel/errors';
import { ChainRefused } from '../../parties/chain/errors';
import { PartyAway } from '../../process/party-errors';

/**
 * For an answer that needs the chain now.
 * @throws Problem 503 while it cannot be reached, or read: of a configured token a node may say, for a while, that it is not there
 */
export async function askedOfChain<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof PartyAway || isUnknownToken(error)
      ? unavailable('The chain cannot be reached just now; nothing was recorded.')
      : error;
  }
}

const isUnknownToken = (error: unknown) => error instanceof ChainRefused && error.code === 'no_token';
