import { ChainRefused } from '../../parties/chain/errors';

/** @returns nothing where no token stands: it is the trouble of that asset alone */
export async function whereTokenStands<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ChainRefused && error.code === 'no_token') return undefined;
    throw error;
  }
}
