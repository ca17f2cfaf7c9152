import { type InternalAccount, internalEntry, type Posting } from '../../../kernel/ledger/entries';
import type { Network } from '../../networks/record';
import { ledgerAmount, NATIVE_DECIMALS } from '../../networks/rules';
import { nativeSymbol } from '../rules';
import type { GasOperation } from './record';

/** What a transaction has done, in units of the chain. */
export interface Execution {
  moved: bigint;
  /** What the token itself has taken on the way. */
  lost: bigint;
  /** Of the native coin. */
  fee: bigint;
}

type Place = 'pool' | 'treasury' | 'station' | 'gas';

/** From where to where, and who pays for gas: a wallet from what top-ups have brought it. */
const WAYS = {
  sweep: { from: 'pool', to: 'treasury' },
  topup: { from: 'station', to: 'pool' },
} as const satisfies Record<GasOperation['type'], { from: Place; to: Place }>;

/**
 * The movements of an execution. What stands on a chain is the counterpart of what is owed, so that its accounts are negative by as
 * much as the addresses hold.
 */
export function postingOf(
  { id, type, chain, asset, decimals }: Pick<GasOperation, 'id' | 'type' | 'chain' | 'asset' | 'decimals'>,
  network: Pick<Network, 'assets' | 'kind'>,
  { moved, lost, fee }: Execution,
): Posting {
  const { from, to } = WAYS[type];
  const at = (place: Place): InternalAccount => `${place}@${chain}`;
  const native = nativeSymbol(network);
  const movement = (target: InternalAccount, currency: string, units: bigint, of: number) => {
    const { amount } = ledgerAmount(units, of, currency);
    return [
      internalEntry(at(from), currency, amount, id),
      internalEntry(target, currency, amount.negated(), id),
    ];
  };
  return {
    entries: [
      ...movement(at(to), asset, moved, decimals),
      ...(lost > 0n ? movement('losses', asset, lost, decimals) : []),
      ...(native ? movement(at('gas'), native, fee, NATIVE_DECIMALS[network.kind]) : []),
    ],
  };
}
