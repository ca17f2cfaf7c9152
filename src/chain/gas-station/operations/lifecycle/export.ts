import type { Tx } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import type { UnsignedTransaction } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { requireChainAnswer } from '../../../networks/nodes/chain-answer';
import { requireNetwork } from '../../../networks/operations';
import { unsignedOf } from '../nonces/rules';
import { attemptsOf, lockNonces, replan } from '../nonces-store';
import { requireOperation } from '../read';
import type { GasOperation, GasOperationType, WaitsFor } from '../record';
import { leastOf } from '../rules';
import { type ChainContext, contextOf } from '../steps/context';
import { type Plan, planOperation } from '../steps/plan';
import { assignNonce, fundsRefusal } from '../steps/plan-and-sign';
import { assertGuards } from '../steps/step-guards';
import { updateOperation } from '../store';
import { lookAtGasOperation } from '../workflows';
import { moveOperation } from './end';

/** An operation with the transaction that a person signs. */
export interface Exported {
  operation: GasOperation;
  /** In the order of execution. */
  transactions: UnsignedTransaction[];
}

/** The export that is possible now, after asking the chain. */
export interface Exportable {
  plan: Plan;
  context: ChainContext;
  /** Newest block, read before the export. */
  block: number;
}

const NOT_NOW: Record<WaitsFor, string> = {
  gas_price: 'A block costs more than maxGasPrice allows.',
  daily_budget: 'The dailyGasBudget does not cover it.',
  gas: 'The sender has too little of the native coin for gas.',
  nothing: 'There is nothing to move.',
  refused: 'The chain would refuse it.',
  nodes_disagree: 'The nodes disagree.',
  nonce_taken: 'The nonce has been used.',
  nonce_gap: 'The nodes report more transactions of the sender than possible.',
  stopped: 'The operation was stopped.',
  signer: 'The signing process does not answer.',
  not_allowed: 'The signing process refuses.',
  wrong_transaction: 'Another transaction was confirmed.',
};

const notNow = (why: WaitsFor) => conflict('invalid_transition', NOT_NOW[why]);

/** @throws Problem 404; 409 `invalid_transition`; 503 */
export async function exportable(
  services: Pick<Services, 'database' | 'keyring' | 'parties' | 'now'>,
  id: string,
  type: GasOperationType,
): Promise<Exportable> {
  const operation = await requireOperation(services.database, id, type);
  assertExportable(operation);
  const context = await contextOf(services, operation);
  const plan = await requireChainAnswer(planOperation(services, context, operation));
  if ('waitsFor' in plan) throw notNow(plan.waitsFor);
  const { number: block } = await requireChainAnswer(context.node.head());
  return { plan, context, block };
}

function assertExportable({ status, execution }: GasOperation): void {
  if (status !== 'pending' && status !== 'awaiting_confirmation')
    throw conflict('invalid_transition', `The operation is ${status}.`);
  if (execution === 'local')
    throw conflict('invalid_transition', 'The operation is signed and broadcast by the service itself.');
}

/**
 * Exports the unsigned transaction. The operation keeps its nonce from then on: a repeated export has new prices and
 * the same nonce, so only one of them can be executed.
 * @throws Problem 404; 409 `invalid_transition`
 */
export async function exportOperation(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  { id, type }: { id: string; type: GasOperationType },
  { plan, context: { network, config }, block }: Exportable,
): Promise<Exported> {
  const operation = await requireOperation(tx, id, type, { lock: 'update' });
  assertExportable(operation);
  await assertGuards(tx, await requireNetwork(tx, operation.chain), operation, 'export');
  await lockNonces(tx, network.chain);
  const before = (await attemptsOf(tx, id)).find(({ settledAt }) => settledAt === null);
  if (before && before.nonce < plan.counted)
    throw conflict(
      'invalid_transition',
      'The nonce of the exported transaction has been used: confirm its hash.',
    );
  const at = services.now();
  const attempt = before
    ? ((await fundsRefusal(tx, operation, config, plan, at)) ??
      (await replan(tx, before.number, plan.planned)))
    : await assignNonce(tx, operation, config, plan, at);
  if ('waitsFor' in attempt) throw notNow(attempt.waitsFor);
  const exportedBlock = operation.exportedBlock ?? block;
  const exported = { exportedAt: at, exportedBlock, units: leastOf(operation.units, plan.units) };
  const after =
    operation.status === 'pending'
      ? await moveOperation(services, tx, operation, 'hand_over', exported)
      : await updateOperation(tx, id, { ...exported, updatedAt: at });
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return { operation: after, transactions: [unsignedOf(attempt, network.chainId)] };
}
