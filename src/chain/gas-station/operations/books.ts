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

/** Effects of a transaction, in the chain's units. */
export interface Execution {
  moved: bigint;
  /** Units that the token itself has kept. */
  lost: bigint;
  /** In the native coin. */
  fee: bigint;
}

/** An address of ours. */
interface At {
  place: ChainPlace;
  address: string;
}

interface Movement {
  from: At;
  /** An address, or only a ledger account when the money has left our addresses. */
  to: At | InternalAccount;
  currency: string;
  units: bigint;
  decimals: number;
}

const placesOf = ({ type, ofStation }: GasOperation): { from: ChainPlace; to: ChainPlace } =>
  type === 'topup'
    ? { from: 'station', to: 'pool' }
    : { from: ofStation ? 'station' : 'pool', to: 'treasury' };

/**
 * Lists the movements of an execution. Omits coins that the ledger has no currency for, because they are not booked.
 */
function movementsOf(operation: GasOperation, network: Network, done: Execution): Movement[] {
  const { chain, asset, decimals, stationAddress, fromAddress, toAddress } = operation;
  const places = placesOf(operation);
  const from = { place: places.from, address: fromAddress };
  const to = { place: places.to, address: toAddress };
  // Without a sending station, a wallet pays for gas with what its top-ups have brought.
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

/** A movement with its amount in the ledger's decimals. */
const bookedOf = (operation: GasOperation, network: Network, done: Execution) =>
  movementsOf(operation, network, done).map((movement) => ({
    ...movement,
    amount: ledgerAmount(movement.units, movement.decimals, movement.currency).amount,
  }));

type Booked = ReturnType<typeof bookedOf>;

/** Cause of holding changes: the operation, or a reverted transaction of it. Its block is the transaction's. */
type Cause = Pick<HoldingChange, 'cause' | 'blockNumber'>;

/**
 * Books an execution. Accounts of a chain are counterparts of what we owe, so they are negative by the balance of the
 * addresses.
 */
export async function bookExecution(
  tx: Tx,
  operation: GasOperation,
  network: Network,
  execution: Execution,
  of: Cause,
): Promise<void> {
  const booked = bookedOf(operation, network, execution);
  await post(tx, operation, booked);
  note(tx, operation, booked, of);
}

/**
 * Takes back the fee of a booked execution and books the one of `execution`, which moved the same units.
 * @param feeBefore in the smallest unit of the native coin
 */
export async function bookOtherFee(
  tx: Tx,
  operation: GasOperation,
  network: Network,
  execution: Execution,
  { feeBefore, ...of }: Cause & { feeBefore: bigint },
): Promise<void> {
  const feeAlone = (fee: bigint) => bookedOf(operation, network, { moved: 0n, lost: 0n, fee });
  const back = feeAlone(feeBefore).map((each) => ({ ...each, amount: each.amount.negated() }));
  await post(tx, operation, [...back, ...feeAlone(execution.fee)]);
  note(tx, operation, bookedOf(operation, network, execution), of);
}

async function post(tx: Tx, { id, chain }: GasOperation, booked: Booked): Promise<void> {
  const accountOf = (side: At | InternalAccount) =>
    typeof side === 'string' ? side : (`${side.place}@${chain}` as const);
  const entries = booked.flatMap(({ from, to, currency, amount }) => [
    internalEntry(accountOf(from), currency, amount, id),
    internalEntry(accountOf(to), currency, amount.negated(), id),
  ]);
  if (entries.length > 0) await move(tx, { entries }, {});
}

function note(tx: Tx, { chain }: GasOperation, booked: Booked, of: Cause): void {
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
