import { erc20Transfer } from '../../../parties/chain/evm/calls';
import type { SweepStrategy } from './port';

/** The wallet sends its balance by itself, and pays for the gas: of what a top-up has brought it. */
export const transfer: SweepStrategy = {
  name: 'transfer',
  sender: 'wallet',
  callOf: (_, { wallet, token, treasury, units }) =>
    Promise.resolve({ from: wallet, to: token, value: 0n, data: erc20Transfer(treasury, units) }),
};
