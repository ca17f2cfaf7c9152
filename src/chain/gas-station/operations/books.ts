import { move } from '../../../accounts/accounts/move';
import type { Tx } from '../../../kernel/db/database';
import { type InternalAccount, internalEntry } from '../../../kernel/ledger/entries';
import { isCurrency } from '../../../kernel/money/currencies';
import { noteChanges } from '../../holdings/operations';
import type { ChainPlace, HoldingChange } from '../../holdings/record';
import type { Network } from '../../networks/record';
import { fromUnits, ledgerAmount, NATIVE_DECIMALS } from '../../networks/rules';
import { nativeSymbol } from '../rules';
import type { GasOperation } from './record';
import { senderOf } from './rules';

/** What a transaction has done, in units of the chain. */
export interface Execution {
  moved: bigint;
  /** What the token itself has taken on the way. */
  lost: bigint;
  /** Of the native coin. */
  fee: bigint;
}

/** An address of ours. */
interface At {
  place: ChainPlace;
  address: string;
}

interface Movement {
  from: At;
  /** An account alone: it has left our addresses. */
  to: At | InternalAccount;
  currency: string;
  units: bigint;
  decimals: number;
}

/** From where to where. */
const placesOf = ({ type, ofStation }: GasOperation): { from: ChainPlace; to: ChainPlace } =>
  type === 'topup'
    ? { from: 'station', to: 'pool' }
    : { from: ofStation ? 'station' : 'pool', to: 'treasury' };

/** Those of a coin that the ledger has no currency for are left out: they are not booked. */
function movementsOf(operation: GasOperation, network: Network, done: Execution): Movement[] {
  const { chain, asset, decimals, stationAddress, fromAddress, toAddress } = operation;
  const places = placesOf(operation);
  const from = { place: places.from, address: fromAddress };
  const to = { place: places.to, address: toAddress };
  // A wallet pays for gas from what top-ups have brought it, where the station does not send for it.
  const payer = { place: stationAddress === null ? places.from : 'station', address: senderOf(operation) };
  const native = nativeSymbol(network);
  const movements: Movement[] = [{ from, to, currency: asset, units: done.moved, decimals }];
  if (done.lost > 0n) movements.push({ from, to: 'losses', currency: asset, units: done.lost, decimals });
  if (native)
    movements.push({
      from: payer,
      to: `gas@${chain}`,
      currency: native,
      units: done.fee,
      decimals: NATIVE_DECIMALS[network.kind],
    });
  return movements.filter(({ currency }) => isCurrency(currency));
}

/**
 * Books an execution. What stands on a chain is the counterpart of what is owed, so that its accounts are negative by as much as the
 * addresses hold.
 * @param of what addresses hold because of it: the operation, or a transaction of it that was reverted
 */
export async function bookExecution(
  tx: Tx,
  operation: GasOperation,
  network: Network,
  execution: Execution,
  of: Pick<HoldingChange, 'cause' | 'blockNumber'>,
): Promise<void> {
  const { id, chain } = operation;
  const accountOf = (side: At | InternalAccount) =>
    typeof side === 'string' ? side : (`${side.place}@${chain}` as const);
  const booked = movementsOf(operation, network, execution).map((movement) => ({
    ...movement,
    amount: ledgerAmount(movement.units, movement.decimals, movement.currency).amount,
  }));
  const entries = booked.flatMap(({ from, to, currency, amount }) => [
    internalEntry(accountOf(from), currency, amount, id),
    internalEntry(accountOf(to), currency, amount.negated(), id),
  ]);
  if (entries.length > 0) await move(tx, { entries }, {});
  const changes = booked.flatMap(({ from, to, currency: asset, units, decimals, amount }) => {
    const moved = { ...of, chain, asset, amount: fromUnits(units, decimals), booked: amount };
    const left = { ...moved, ...from, amount: moved.amount.negated(), booked: amount.negated() };
    return typeof to === 'string' ? [left] : [left, { ...moved, ...to }];
  });
  noteChanges(
    tx,
    changes.filter(({ amount }) => !amount.isZero()),
  );
}
