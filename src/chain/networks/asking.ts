import { unavailable } from '../../kernel/errors';
import { PartyAway } from '../../process/party-errors';

/** For an answer that needs the chain now. @throws Problem 503 while it cannot be reached, or read */
export async function askedOfChain<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof PartyAway
      ? unavailable('The chain cannot be reached just now; nothing was recorded.')
      : error;
  }
}
