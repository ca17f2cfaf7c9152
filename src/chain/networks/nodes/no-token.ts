import { ChainRefused } from '../../../parties/chain/errors';

/** @returns undefined when the contract is no token, so that other assets can still be read */
export async function undefinedIfNoToken<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ChainRefused && error.code === 'no_token') return undefined;
    throw error;
  }
}
