import { type InternalAccount, internalEntry, type Posting } from '../../../kernel/ledger/entries';
import { isCurrency } from '../../../kernel/money/currencies';
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

/** From where to where. */
const wayOf = ({ type, ofStation }: Pick<GasOperation, 'type' | 'ofStation'>): { from: Place; to: Place } =>
  type === 'topup'
    ? { from: 'station', to: 'pool' }
    : { from: ofStation ? 'station' : 'pool', to: 'treasury' };

/**
 * The movements of an execution. What stands on a chain is the counterpart of what is owed, so that its accounts are negative by as
 * much as the addresses hold. A coin that the ledger has no currency for is not booked.
 */
export function postingOf(
  operation: Pick<
    GasOperation,
    'id' | 'type' | 'ofStation' | 'chain' | 'asset' | 'decimals' | 'stationAddress'
  >,
  network: Pick<Network, 'assets' | 'kind'>,
  { moved, lost, fee }: Execution,
): Posting {
  const { id, chain, asset, decimals, stationAddress } = operation;
  const { from, to } = wayOf(operation);
  // A wallet pays for gas from what top-ups have brought it, where the station does not send for it.
  const payer = stationAddress === null ? from : 'station';
  const at = (place: Place): InternalAccount => `${place}@${chain}`;
  const native = nativeSymbol(network);
  const movement = (source: Place, target: InternalAccount, currency: string, units: bigint, of: number) => {
    if (!isCurrency(currency)) return [];
    const { amount } = ledgerAmount(units, of, currency);
    return [
      internalEntry(at(source), currency, amount, id),
      internalEntry(target, currency, amount.negated(), id),
    ];
  };
  return {
    entries: [
      ...movement(from, at(to), asset, moved, decimals),
      ...(lost > 0n ? movement(from, 'losses', asset, lost, decimals) : []),
      ...(native ? movement(payer, at('gas'), native, fee, NATIVE_DECIMALS[network.kind]) : []),
    ],
  };
}
