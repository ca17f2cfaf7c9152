import type { Tx } from '../../../../kernel/db/database';
import type { Services } from '../../../../services';
import { undefinedIfNoToken } from '../../../networks/nodes/no-token';
import { boundedFees, dataPriceOf } from '../../rules';
import { batchOf, MAX_OF_BATCH } from '../../strategies/delegated';
import { mostOf } from '../nonces/rules';
import { lockNonces, releaseNonces } from '../nonces-store';
import type { GasOperation, WaitsFor } from '../record';
import { gathersUntil, leadsBatch, leastOf, senderOf } from '../rules';
import { freeMembers, gatherable, lockUnchanged, membersOf, updateOperation } from '../store';
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import {
  fieldsOf,
  type MayMove,
  mayMove,
  type NoPlan,
  type Plan,
  partiesOf,
  planTransaction,
  sweepOf,
} from './plan';
import { assignNonce } from './plan-and-sign';
import { type Ready, readySender } from './ready-sender';
import { stillSweepable } from './step-guards';
import { AGAIN, lookIn, type StepResult } from './step-result';
import { waitToPlan } from './waits';

/** Interval at which an operation looks whether an older one has made the batch. */
export const BATCH_MS = 2_000;

/** Wait after two operations planned batches with common members. */
const COLLIDED_MS = 500;

/** An operation that shares the transaction of another one. */
interface Member {
  operation: GasOperation;
  units: bigint;
}

/**
 * Plans one transaction of the station for an operation and the waiting sweeps of the same token. Waits briefly first,
 * so that sweeps made together share it.
 */
export async function planDelegated(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
): Promise<StepResult> {
  const { operation } = snapshot;
  const until = gathersUntil(operation);
  if (services.now() < until) return { lookAt: until };
  const waiting = await gatherable(services.database, operation, services.now(), MAX_OF_BATCH - 1);
  const others = await stillSweepable(services.database, waiting);
  if (!leadsBatch(operation, others, services.now())) return lookIn(services, BATCH_MS);
  const ready = await readySender(services, context, operation);
  const moves = await mayMove(services.database, [operation, ...others]);
  const { plan, members } = await planBatch(ready, operation, others, moves);
  if ('waitsFor' in plan) return waitToPlan(services, snapshot, plan.waitsFor);
  let refused: WaitsFor | 'collided' | undefined;
  await whileUnchanged(services, operation, async (tx, current) => {
    refused = await take(tx, current, context, { plan, members, at: services.now() });
  });
  if (refused === 'collided') return lookIn(services, COLLIDED_MS);
  return refused ? waitToPlan(services, snapshot, refused) : AGAIN;
}

/**
 * Writes the batch. The caller holds the operation's lock. Skips locked members instead of waiting, to avoid deadlocks
 * between two planners.
 */
async function take(
  tx: Tx,
  operation: GasOperation,
  { config }: ChainContext,
  { plan, members, at }: { plan: Plan; members: Member[]; at: Date },
): Promise<WaitsFor | 'collided' | undefined> {
  await lockNonces(tx, operation.chain);
  const all = members.map((member) => member.operation);
  if (!(await lockUnchanged(tx, all))) return 'collided';
  const given = await assignNonce(tx, operation, config, plan, at);
  if ('waitsFor' in given) return given.waitsFor;
  for (const { operation: member, units } of members)
    await updateOperation(tx, member.id, {
      batchOf: operation.id,
      units: leastOf(member.units, units),
      waitsFor: null,
      updatedAt: at,
    });
  return undefined;
}

/**
 * Takes back a planned or signed transaction before its broadcast, when its operation is stopped or a wallet of its
 * batch may no longer be swept. Drops the bytes and frees the nonce; the others are planned anew.
 * @param isStopped whether the operation that owns the transaction is stopped
 * @returns whether it was taken back
 */
export async function takeBackStopped(
  services: Services,
  { operation }: Snapshot,
  isStopped: boolean,
): Promise<boolean> {
  const members = await membersOf(services.database, operation);
  const isWhole = (await stillSweepable(services.database, members)).length === members.length;
  if (isWhole && !isStopped) return false;
  return whileUnchanged(services, operation, async (tx, current) => {
    const at = services.now();
    releaseNonces(tx, current.id, { at });
    freeMembers(tx, current);
    await updateOperation(tx, current.id, { updatedAt: at });
  });
}

/**
 * Plans a batch. A single sweep is called without the contract's loop, which costs less.
 * @throws ChainAway
 */
async function planBatch(
  ready: Ready,
  operation: GasOperation,
  others: readonly GasOperation[],
  moves: MayMove,
): Promise<{ plan: Plan | NoPlan; members: Member[] }> {
  const together = others.length === 0 ? undefined : await planTogether(ready, [operation, ...others], moves);
  return together ?? { plan: await planTransaction(ready, operation, moves), members: [] };
}

/**
 * @returns undefined when the first operation or all others cannot be swept now, or the chain would refuse the batch
 */
async function planTogether(ready: Ready, operations: readonly GasOperation[], moves: MayMove) {
  const { node, config, nonces } = ready;
  const [first] = operations;
  const token = first?.token;
  if (!first || !token) return undefined;
  const addresses = operations.map(({ fromAddress }) => fromAddress);
  const balances = await undefinedIfNoToken(node.balances(addresses, token));
  if (!balances) return undefined;
  const filled = operations.flatMap((operation, place) => {
    const units = moves(operation, balances[place] ?? 0n);
    return units > 0n ? [{ operation, units, sweep: sweepOf({ ...operation, token }, units) }] : [];
  });
  const sweeps = filled.map(({ sweep }) => sweep);
  const { batch } = await batchOf(partiesOf(ready), sweeps);
  // Operations that do not fit make a batch of their own.
  const [own, ...members] = filled.filter(({ sweep }) => batch?.sweeps.includes(sweep));
  if (!batch || own?.operation.id !== first.id || members.length === 0) return undefined;
  const { call, gas, dataFee } = batch;
  const costs = { gas, dataFee };
  const prices = boundedFees(await node.fees(), config.maxGasPrice, dataPriceOf(costs));
  if (!prices) return { plan: { waitsFor: 'gas_price' } as const, members: [] };
  const coins = await node.balance(senderOf(first), null);
  if (coins < mostOf({ ...costs, ...prices })) return { plan: { waitsFor: 'gas' } as const, members: [] };
  return {
    plan: { planned: { ...fieldsOf(call), ...costs, ...prices }, units: own.units, coins, ...nonces },
    members,
  };
}
