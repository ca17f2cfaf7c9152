import type { Tx } from '../../../../kernel/db/database';
import { type FinalBy, finalTransaction, type Mined } from '../../../../parties/chain/agreement';
import type { ChainNode } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { bookedSince } from '../../../holdings/operations';
import type { Network } from '../../../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../../../networks/rules';
import { requireGasConfig } from '../../config/operations';
import { nativeSymbol } from '../../rules';
import { bookOtherFee, type Execution } from '../books';
import { operationSigned } from '../nonces-store';
import type { GasOperation } from '../record';
import { feeOf, judgeOwn } from '../rules';
import { finalBy } from '../steps/context';
import { countMembers, findOperation, updateOperation } from '../store';

/** A network with its nodes, and how deep a block must be. */
interface Chain {
  network: Network;
  node: ChainNode;
  by: FinalBy;
  /** Ledger symbol of the native coin. */
  asset: string;
}

/**
 * Reads booked transactions of operations again, and books a fee that has changed. A reorganisation deeper than the
 * confirmations puts a transaction into another block, where gas has another price. A transaction that is not final, or
 * moves other units now, stays as it is booked.
 * @param block first block of the transactions
 * @throws ChainAway
 */
export async function rebookFees(
  services: Pick<Services, 'database' | 'now'>,
  { network, node }: Pick<Chain, 'network' | 'node'>,
  block: number,
): Promise<void> {
  const { database } = services;
  const asset = nativeSymbol(network);
  if (asset === undefined) return;
  const config = await requireGasConfig(database, network);
  const chain = { network, node, asset, by: finalBy({ network, config }) };
  for (const { cause } of await bookedSince(database, { chain: network.chain, asset, block })) {
    const operation = await operationOf(services, network, cause);
    // Without an operation the cause is a deposit, or a payment to a station.
    if (operation) await rebookFee(services, chain, operation, cause);
  }
}

/** @param cause a reverted transaction of a person by its hash, else the operation's id */
async function operationOf(
  { database }: Pick<Services, 'database'>,
  { chain }: Network,
  cause: string,
): Promise<GasOperation | undefined> {
  const id = isHash(cause) ? await operationSigned(database, chain, cause) : cause;
  return id === undefined ? undefined : findOperation(database, id);
}

const isHash = (cause: string): boolean => cause.startsWith('0x');

async function rebookFee(
  { database, now }: Pick<Services, 'database' | 'now'>,
  chain: Chain,
  { id, txHash }: GasOperation,
  cause: string,
): Promise<void> {
  const { network, node, asset, by } = chain;
  const hash = isHash(cause) ? cause : txHash;
  const word = hash === null ? undefined : await finalTransaction(node, hash, by);
  if (!word) return;
  await database.transaction(async (tx) => {
    const operation = await findOperation(tx, id, { lock: 'update' });
    const [booked] = await bookedSince(tx, { chain: network.chain, asset, block: 0, cause });
    if (!operation || !booked) return;
    const execution = await sameExecution(tx, operation, word, cause);
    const feeBefore = toUnits(booked.amount.negated(), NATIVE_DECIMALS[network.kind]);
    if (!execution || execution.fee === feeBefore) return;
    const of = { cause, blockNumber: word.block.number, feeBefore };
    await bookOtherFee(tx, operation, network, execution, of);
    const feeUnits = (operation.feeUnits ?? 0n) + execution.fee - feeBefore;
    await updateOperation(tx, id, { feeUnits, updatedAt: now() });
  });
}

/** @returns the execution with its present fee; undefined when it moves other units than the booked ones */
async function sameExecution(
  tx: Tx,
  operation: GasOperation,
  word: Mined,
  cause: string,
): Promise<Execution | undefined> {
  if (isHash(cause)) return word.status === 'reverted' ? { moved: 0n, lost: 0n, fee: word.fee } : undefined;
  const verdict = judgeOwn(operation, word);
  const { moved, lost } = verdict.is === 'right' ? verdict : { moved: 0n, lost: 0n };
  if (moved !== operation.movedUnits || lost !== operation.lostUnits) return undefined;
  const members = await countMembers(tx, operation);
  return { moved, lost, fee: feeOf(operation, word.fee, members) };
}
