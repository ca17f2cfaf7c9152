import { ChainRefused } from '../../../parties/chain/errors';
import { erc20Transfer } from '../../../parties/chain/evm/calls';
import type { Call, ChainNode } from '../../../parties/chain/port';
import type { Sweep, SweepStrategy } from './port';

/** A token's transfer from a wallet to the treasury. */
export type Transfer = Pick<Sweep, 'wallet' | 'token' | 'treasury' | 'units'>;

/** The call that a wallet sends to its token. */
export const transferOf = ({ wallet, token, treasury, units }: Transfer): Call => ({
  from: wallet,
  to: token,
  value: 0n,
  data: erc20Transfer(treasury, units),
});

/** The wallet sends the amount itself, and pays the gas with what a top-up has brought. */
export const transfer: SweepStrategy = {
  name: 'transfer',
  sender: 'wallet',
  callOf: (_, sweep) => Promise.resolve(transferOf(sweep)),
};

/** `true` as an EVM word. */
const TRUE = `0x${'1'.padStart(64, '0')}`;

/**
 * Simulates a token's transfer. Tokens answer true or nothing (USDT). A token that answers false moves nothing and does
 * not revert, so an estimate does not show it. A transfer of zero always passes.
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
