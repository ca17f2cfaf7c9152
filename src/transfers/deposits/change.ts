import type { Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { appendEvents } from '../../kernel/outbox/events';
import type { Services } from '../../services';
import { depositEvent } from './events';
import { type Deposit } from './record';
import { type DepositTrigger, isTold, requireTransition } from './rules';
import { lockDeposit, saveDeposit } from './store';

/** As it is once nobody else can change it. @throws Problem 404 */
export async function lockedDeposit(tx: Tx, id: string): Promise<Deposit> {
  const deposit = await lockDeposit(tx, id);
  if (!deposit) throw notFound('deposit');
  return deposit;
}

/** What changes beside the status. */
export type Changes = Partial<Omit<Deposit, 'id' | 'tenantId' | 'accountId' | 'status'>>;

/** Changes a deposit whose row is locked; its status stays. */
export function change(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  deposit: Deposit,
  changes: Changes,
): Promise<Deposit> {
  return saveDeposit(tx, { ...deposit, ...changes }, now());
}

/**
 * Moves a deposit whose row is locked along a line of the table, and tells the tenant where 3.2 says so.
 * @throws Problem 409 `invalid_transition`
 */
export async function changeStatus(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  deposit: Deposit,
  on: DepositTrigger,
  changes: Changes = {},
): Promise<Deposit> {
  const status = requireTransition(deposit.status, on);
  const after = await saveDeposit(tx, { ...deposit, ...changes, status }, now());
  if (isTold(status)) await appendEvents(tx, [depositEvent(after)]);
  return after;
}
