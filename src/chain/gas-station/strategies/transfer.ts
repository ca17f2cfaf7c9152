import { ChainRefused } from '../../../parties/chain/errors';
import { erc20Transfer } from '../../../parties/chain/evm/calls';
import type { Call, ChainNode } from '../../../parties/chain/port';
import type { Sweep, SweepStrategy } from './port';

/** What of a token goes where. */
export type Transfer = Pick<Sweep, 'wallet' | 'token' | 'treasury' | 'units'>;

/** What a wallet sends to its token. */
export const transferOf = ({ wallet, token, treasury, units }: Transfer): Call => ({
  ...{ from: wallet, to: token, value: 0n, data: erc20Transfer(treasury, units) },
});

/** The wallet sends its balance by itself, and pays for the gas: of what a top-up has brought it. */
export const transfer: SweepStrategy = {
  name: 'transfer',
  sender: 'wallet',
  callOf: (_, sweep) => Promise.resolve(transferOf(sweep)),
};

/** A word of the EVM. */
const TRUE = `0x${'1'.padStart(64, '0')}`;

/**
 * Whether a token would move it now, of nothing always: tokens answer true, or nothing (USDT). One that answers false is not reverted,
 * and moves nothing: no estimate shows that.
 * @throws ChainAway
 */
export async function isTransferable(node: ChainNode, sweep: Transfer): Promise<boolean> {
  if (sweep.units === 0n) return true;
  try {
    const answer = await node.call(transferOf(sweep));
    return answer === '0x' || answer.slice(0, TRUE.length) === TRUE;
  } catch (error) {
    if (error instanceof ChainRefused) return false;
    throw error;
  }
}
