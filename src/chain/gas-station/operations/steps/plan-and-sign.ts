import { inOrder, type Tx } from '../../../../kernel/db/database';
import type { Services } from '../../../../services';
import { findWallet } from '../../../wallets/operations';
import type { GasConfig } from '../../config/record';
import { isWithinBudget, spentToday } from '../budget';
import { moveOperation } from '../lifecycle/end';
import { closeWaits } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import { mostOf, nextFreeNonce, unsignedOf } from '../nonces/rules';
import { committedBy, insertAttempt, keepSigned, lockNonces, takenNonces } from '../nonces-store';
import type { GasOperation } from '../record';
import { leastOf, senderOf } from '../rules';
import { updateOperation } from '../store';
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import { type NoPlan, type Plan, planOperation } from './plan';
import { AGAIN, type StepResult } from './step-result';
import { waitToPlan } from './waits';

/** Gives the operation a transaction under its sender's next nonce. */
export async function plan(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
): Promise<StepResult> {
  const planned = await planOperation(services, context, snapshot.operation);
  if ('waitsFor' in planned) return waitToPlan(services, snapshot, planned.waitsFor);
  let refused: NoPlan | undefined;
  await whileUnchanged(services, snapshot.operation, async (tx, operation) => {
    const given = await assignNonce(tx, operation, context.config, planned, services.now());
    if ('waitsFor' in given) refused = given;
  });
  return refused ? waitToPlan(services, snapshot, refused.waitsFor) : AGAIN;
}

/**
 * Checks a plan against the day's budget and the sender's uncommitted coins. The caller holds {@link lockNonces}.
 * @returns the reason when they do not cover it
 */
export async function fundsRefusal(
  tx: Tx,
  operation: GasOperation,
  config: GasConfig,
  { planned, counted, coins }: Plan,
  at: Date,
): Promise<NoPlan | undefined> {
  const { id, chain } = operation;
  const most = mostOf(planned);
  const of = { chain, address: senderOf(operation), from: counted, except: id };
  const [spent, committed] = await inOrder([spentToday(tx, chain, at, id), committedBy(tx, of)]);
  if (!isWithinBudget(config, spent, most)) return { waitsFor: 'daily_budget' };
  return coins - committed < planned.value + most ? { waitsFor: 'gas' } : undefined;
}

/**
 * Stores the first attempt under the next nonce. The caller holds the operation's lock.
 * @returns the reason when nothing was given
 */
export async function assignNonce(
  tx: Tx,
  operation: GasOperation,
  config: GasConfig,
  plan: Plan,
  at: Date,
): Promise<Attempt | NoPlan> {
  const { id, chain } = operation;
  const { planned, units } = plan;
  const address = senderOf(operation);
  await lockNonces(tx, chain);
  const [refused, taken] = await inOrder([
    fundsRefusal(tx, operation, config, plan, at),
    takenNonces(tx, { chain, address, from: plan.counted }),
  ]);
  if (refused) return refused;
  const nonce = nextFreeNonce(plan, taken);
  if (nonce === undefined) return { waitsFor: 'nonce_gap' };
  await closeWaits(tx, id, at);
  const attempt = await insertAttempt(tx, {
    ...planned,
    chain,
    address,
    nonce,
    attempt: 0,
    operationId: id,
    cancels: false,
  });
  await updateOperation(tx, id, { units: leastOf(operation.units, units), waitsFor: null, updatedAt: at });
  return attempt;
}

/** Signs the newest attempt. The bytes are stored before any node gets them. */
export async function sign(
  services: Services,
  { operation, attempts }: Snapshot,
  { network }: ChainContext,
): Promise<StepResult> {
  const latest = attempts.at(-1);
  if (!latest) throw new Error(`the operation ${operation.id} has nothing to sign`);
  const wallet = await findWallet(services.database, latest.chain, latest.address);
  if (!wallet) throw new Error(`the sender of ${operation.id} is not our wallet`);
  const signed = await services.parties.signer.sign(
    wallet.derivationIndex,
    unsignedOf(latest, network.chainId),
  );
  await whileUnchanged(services, operation, async (tx, current) => {
    keepSigned(tx, latest, signed);
    if (current.status === 'pending') await moveOperation(services, tx, current, 'hand_over');
    else await updateOperation(tx, current.id, { updatedAt: services.now() });
  });
  return AGAIN;
}
