import { isAccountClosed } from '../../../accounts/accounts/operations';
import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import type { Services } from '../../../services';
import { type Decided, decide } from '../../engine/decide';
import { exchangeOrderKind } from './kind';
import { releasing } from './position';
import type { ExchangeOrder } from './record';
import { awaitsPayment } from './rules';

type Deps = Pick<Services, 'commands' | 'now'>;

interface DecideOrder {
  orderId: string;
  /** `operator:<name>`, or the credential of an admin's call. */
  decidedBy: string;
}

const NOUN = 'exchange order';

/**
 * Cancels an order that the exchange does not have, and releases its hold.
 * @throws Problem 404; 409 `invalid_transition` once the exchange may have the order
 */
export const cancelOrder = (
  services: Deps,
  tx: Tx,
  { orderId: id, reason, decidedBy }: DecideOrder & { reason: string },
): Promise<Decided<ExchangeOrder>> =>
  decide(services, tx, exchangeOrderKind, {
    id,
    noun: NOUN,
    decidedBy,
    asked: {},
    judge(order) {
      assertCancellable(order);
      return [{ kind: 'cancel', data: { code: 'cancelled_by_operator' }, reason }];
    },
  });

/** @throws Problem 409 `invalid_transition` once the exchange may have the order */
export function assertCancellable({ transfer: { status, orderedAt } }: ExchangeOrder): void {
  if (status === 'created' && orderedAt === null) return;
  throw conflict(
    'invalid_transition',
    orderedAt === null
      ? `An order that is ${status} cannot be cancelled.`
      : 'The order may have reached the exchange.',
  );
}

/**
 * Releases an order: its whole deal becomes the client's. The part for an account that was closed meanwhile goes to
 * suspense. For a deal that was not as ordered, the release only records the exchange's payment.
 * @throws Problem 404; 409 `invalid_transition` for an order that does not wait for settlement
 */
export const releaseOrder = (
  services: Deps,
  tx: Tx,
  { orderId: id, decidedBy }: DecideOrder,
): Promise<Decided<ExchangeOrder>> =>
  decide(services, tx, exchangeOrderKind, {
    id,
    noun: NOUN,
    decidedBy,
    async judge(order) {
      const { status, terms } = order.transfer;
      if (!awaitsPayment(order))
        throw conflict('invalid_transition', `An order that is ${status} does not wait for its settlement.`);
      return releasing(order, await isAccountClosed(tx, terms.toAccountId));
    },
  });
