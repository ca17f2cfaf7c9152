import type { Sql, Tx } from '../../kernel/db/database';
import type { CheckoutState } from '../../parties/checkout/port';
import type { Services } from '../../services';
import { changeStatus, lockedDeposit } from './change';
import { openCheckout } from './page/session';
import { patience, type WaitsFor } from './patience';
import { noteSettlement, revisePayment, takeStep } from './payments/payment';
import { type Deposit, type DepositStatus } from './record';
import { applyDisputes } from './refunds/dispute';
import { applyRefunds, askForRefunds, withoutReturns } from './refunds/refund';
import { nextTrigger, statusAfter, wasCredited } from './rules';
import { findDeposit, setDueBy } from './store';

/** What a workflow does next: it waits for somebody, for so long at most; or it ends. */
export interface DepositProgress {
  status: DepositStatus;
  waitsFor: WaitsFor | null;
  /** Milliseconds until the party is asked again, or the deposit expires. */
  waitMs?: number;
  /** How often it has waited for the same before. */
  turns: number;
}

export interface DepositStep {
  depositId: string;
  /** The workflow's clock, milliseconds since 1970. */
  at: number;
  /** What the look before this one saw. */
  last?: DepositProgress | undefined;
}

/** What the attempts of a step may take beyond its time before the workflow counts as lost. */
const GRACE_MS = 10 * 60_000;

/**
 * Brings a deposit to where the party has it. Whatever made us look – a callback, however late or often it came, the
 * operator, a timer, the reconciler – the party is asked for the whole present state, and what is new in it is applied
 * under the row's lock. Done twice, it has been done once.
 * @throws PartyAway nothing is known now
 */
export async function advanceDeposit(services: Services, given: DepositStep): Promise<DepositProgress> {
  const { database, parties } = services;
  // Attempts may go on for hours after the workflow has asked for them.
  const step = { ...given, at: Math.max(given.at, services.now().getTime()) };
  const at = new Date(step.at);
  const deposit = await opened(services, step.depositId, at);
  const { sessionId } = deposit;
  if (sessionId === null) return watched(database, deposit, step);
  // A page that was made just now has nothing to tell.
  if (step.last === undefined && deposit.status === 'awaiting_payment' && deposit.opened)
    return watched(database, deposit, step);
  await askForRefunds(services, deposit);
  const state = await parties.checkout.getSession(sessionId);
  return database.transaction(async (tx) =>
    watched(tx, await applyState(services, tx, deposit.id, state, at), step),
  );
}

/** Opens the checkout of one that is new; tells whether it did. */
async function opened(services: Services, id: string, at: Date): Promise<Deposit & { opened?: boolean }> {
  const deposit = await findDeposit(services.database, null, id);
  if (!deposit) throw new Error(`there is no deposit ${id}`);
  if (deposit.status !== 'created') return deposit;
  return { ...(await openCheckout(services, deposit, at)), opened: true };
}

/** Notes when the workflow will have looked again. */
async function watched(sql: Sql, deposit: Deposit, { at, last }: DepositStep): Promise<DepositProgress> {
  const waitsFor = waitsForOf(deposit);
  const { status, expiresAt } = deposit;
  if (waitsFor === null) return { status, waitsFor, turns: 0 };
  const turns = last?.waitsFor === waitsFor ? last.turns + 1 : 0;
  const untilExpiry =
    waitsFor === 'payment' ? Math.max(1, expiresAt.getTime() - at) : Number.POSITIVE_INFINITY;
  const waitMs = Math.min(patience(waitsFor, turns), untilExpiry);
  await setDueBy(sql, deposit.id, new Date(at + waitMs + GRACE_MS));
  return { status, waitsFor, waitMs, turns };
}

/**
 * Applies what the party says to the record: each line of the table that it makes true, then what of the money it has
 * taken back.
 */
export async function applyState(
  services: Services,
  tx: Tx,
  id: string,
  state: CheckoutState,
  at: Date,
): Promise<Deposit> {
  let deposit = await lockedDeposit(tx, id);
  const seen = await withoutReturns(tx, deposit, state);
  deposit = await revisePayment(services, tx, deposit, seen);
  for (let on = nextTrigger(deposit, seen, at); on !== undefined; on = nextTrigger(deposit, seen, at)) {
    deposit = await takeStep(services, tx, deposit, on, seen);
  }
  deposit = await noteSettlement(services, tx, deposit, seen);
  deposit = await applyRefunds(services, tx, deposit, seen);
  deposit = await applyDisputes(services, tx, deposit, state);
  const whole = wasCredited(deposit.status) && deposit.refundedAmount.gte(deposit.chargedAmount);
  return whole && statusAfter(deposit.status, 'refunded')
    ? changeStatus(services, tx, deposit, 'refunded')
    : deposit;
}

const WAITS_FOR: Partial<Record<DepositStatus, WaitsFor>> = {
  created: 'payment',
  awaiting_payment: 'payment',
  processing: 'settlement',
  manual_review: 'review',
};

function waitsForOf({ status, decision, refundOpen }: Deposit): WaitsFor | null {
  const waitsFor = WAITS_FOR[status] ?? (refundOpen ? 'refund' : null);
  if (waitsFor !== 'review' || decision === null) return waitsFor;
  return decision === 'approved' ? 'settlement' : 'return';
}
