import type { Tx } from '../../kernel/db/database';
import { maxOf, minOf, ZERO } from '../../kernel/money/money';
import type { CardOrderState } from '../../parties/external-cards/port';
import type { Services } from '../../services';
import { orderOf, requireById } from './operations';
import {
  bookChargeback,
  creditReturn,
  creditTopup,
  releaseWithdrawal,
  suspend,
  takeWithdrawal,
  tellOperator,
} from './postings';
import type { ExternalCardTransaction } from './record';
import {
  type ExternalCardStatus,
  type ExternalCardTrigger,
  isFinal,
  isHeld,
  nextLook,
  transitionOf,
  triggersOf,
} from './rules';
import { lockTransaction, saveTransaction, setDueBy } from './store';

/** Where a record stands after a step. */
export interface ExternalCardProgress {
  status: ExternalCardStatus;
  /** Its process goes on. */
  open: boolean;
  /** Milliseconds since 1970: the payer must have acted by then. */
  actionBy?: number;
}

/**
 * Orders what is pending, asks for the present state of what was ordered, and applies it. Twice is once: the order carries
 * the record's key, and what a state does is judged by the record under its lock.
 * @throws PartyAway nothing is known now: it is asked again
 */
export async function advanceTransfer(services: Services, id: string): Promise<ExternalCardProgress> {
  const { database } = services;
  const before = await requireById(database, id);
  const state = await stateOf(services, before);
  return database.transaction(async (tx) => {
    const locked = await lockTransaction(tx, id);
    if (!locked) throw new Error('the transaction is gone');
    if (state === 'unknown_to_party') await tellLost(tx, locked);
    const after = state === 'unknown_to_party' ? locked : await applyState(services, tx, locked, state);
    await setDueBy(tx, id, nextLook(after, services.now()));
    return progressOf(after);
  });
}

async function stateOf(services: Services, record: ExternalCardTransaction) {
  const { externalCards } = services.parties;
  if (record.status !== 'pending') return externalCards.get(record.id);
  const order = await orderOf(services, record);
  return record.kind === 'topup' ? externalCards.charge(order) : externalCards.push(order);
}

/** It had the order once. It stays open: only its own answer ends a record. */
async function tellLost(tx: Tx, record: ExternalCardTransaction): Promise<void> {
  await tellOperator(tx, record, 'external_card_contradiction', 'the party no longer knows the order');
}

/** Brings a record to where the party has it. The caller holds its row. */
export async function applyState(
  services: Services,
  tx: Tx,
  record: ExternalCardTransaction,
  state: CardOrderState,
): Promise<ExternalCardTransaction> {
  const known = { ...state, returned: maxOf(ZERO, minOf(state.returned, record.amount)) };
  let current = record;
  for (const trigger of triggersOf(record.kind, record.status, record.returnedAmount, known))
    current = await step(services, tx, current, trigger, known);
  current = await suspendLate(tx, current, known);
  if (current !== record) await saveTransaction(tx, current);
  return current;
}

/** One line of the table of transitions: what it does, and the record as it is then. */
async function step(
  services: Services,
  tx: Tx,
  record: ExternalCardTransaction,
  trigger: ExternalCardTrigger,
  state: CardOrderState,
): Promise<ExternalCardTransaction> {
  const transition = transitionOf(record.kind, record.status, trigger);
  if (!transition) return record;
  const { to, contradicts } = transition;
  const failed = trigger === 'failed' || trigger === 'returned';
  const changed: ExternalCardTransaction = {
    ...record,
    status: to,
    actionUrl: to === 'requires_action' ? sealedUrl(services, record, state) : null,
    failure: failed ? (state.failureCode ?? record.failure ?? trigger) : null,
    completedAt: to === 'completed' ? (record.completedAt ?? services.now()) : record.completedAt,
  };
  if (contradicts)
    await tellOperator(tx, record, 'external_card_contradiction', `it was ${record.status}, and is ${to}`);
  if (to === 'returned' || trigger === 'kept') return bookReturn(tx, record, changed, state);
  await bookWay(tx, record, to);
  return changed;
}

/** From where it stood to where it stands: a top-up that arrives, a withdrawal that leaves or does not. */
async function bookWay(tx: Tx, record: ExternalCardTransaction, to: ExternalCardStatus): Promise<void> {
  const { kind, status } = record;
  if (kind === 'topup') {
    if (to === 'completed') await creditTopup(tx, record);
    return;
  }
  const held = isHeld(kind, status);
  if (to === 'failed' && held) await releaseWithdrawal(tx, record);
  if ((to === 'processing' || to === 'completed') && status !== 'processing')
    await takeWithdrawal(tx, record, held);
}

/** What has gone back since it was last recorded, or come again; all of it when the party says no more than `failed`. */
async function bookReturn(
  tx: Tx,
  record: ExternalCardTransaction,
  changed: ExternalCardTransaction,
  state: CardOrderState,
): Promise<ExternalCardTransaction> {
  const returned = state.status === 'failed' ? record.amount : state.returned;
  if (returned.eq(record.returnedAmount)) return changed;
  if (record.kind === 'withdrawal') await creditReturn(tx, record, returned.minus(record.returnedAmount));
  else {
    await bookChargeback(tx, record, returned);
    if (returned.gt(record.returnedAmount))
      await tellOperator(tx, record, 'external_card_chargeback', `${returned.toFixed()} in all`, returned);
  }
  return { ...changed, returnedAmount: returned, returns: record.returns + 1 };
}

/**
 * A charge that arrives after it had failed: the payer may have paid again, so that no rule says whose it is. What it
 * brings is kept in suspense, and leaves it when it is charged back.
 */
async function suspendLate(
  tx: Tx,
  record: ExternalCardTransaction,
  state: CardOrderState,
): Promise<ExternalCardTransaction> {
  if (record.kind !== 'topup' || record.status !== 'failed') return record;
  const arrived = state.status === 'succeeded' ? record.amount.minus(state.returned) : record.suspended;
  const change = arrived.minus(record.suspended);
  if (change.isZero()) return record;
  await suspend(tx, record, change, `it had failed, and ${arrived.toFixed()} of it has arrived`);
  return { ...record, suspended: arrived };
}

function sealedUrl(
  { keyring }: Services,
  { id }: ExternalCardTransaction,
  { actionUrl }: CardOrderState,
): Buffer {
  if (!actionUrl) throw new Error('the party requires action and names no page');
  return keyring.sealer('external-cards').seal(Buffer.from(actionUrl), id);
}

function progressOf({ status, actionExpiresAt }: ExternalCardTransaction): ExternalCardProgress {
  return {
    status,
    open: !isFinal(status),
    ...(status === 'requires_action' ? { actionBy: actionExpiresAt.getTime() } : {}),
  };
}
