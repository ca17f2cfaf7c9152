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
  /** `operator:<name>` at the command line; of an admin's call its credential. */
  decidedBy: string;
}

const NOUN = 'exchange order';

/**
 * Calls an order off that the exchange has not had: what is held is released.
 * @throws Problem 404; 409 `invalid_transition` once it may have reached the exchange
 */
export const cancelOrder = (
  services: Deps,
  tx: Tx,
  { orderId: id, reason, decidedBy }: DecideOrder & { reason: string },
): Promise<Decided<ExchangeOrder>> =>
  decide(services, tx, exchangeOrderKind, {
    ...{ id, noun: NOUN, decidedBy, asked: {} },
    judge({ transfer: { status, orderedAt } }) {
      if (status !== 'created' || orderedAt !== null)
        throw conflict(
          'invalid_transition',
          orderedAt === null
            ? `An order that is ${status} cannot be cancelled.`
            : 'It may have reached the exchange.',
        );
      return [{ kind: 'cancel', data: { code: 'cancelled_by_operator' }, reason }];
    },
  });

/**
 * Lets the deal of an order that waits for its settlement be the client's, whole. An account that was closed meanwhile is given
 * nothing: it stands in suspense. Of a deal that is nobody's it only notes that it was paid.
 * @throws Problem 404; 409 `invalid_transition` where it does not wait
 */
export const releaseOrder = (
  services: Deps,
  tx: Tx,
  { orderId: id, decidedBy }: DecideOrder,
): Promise<Decided<ExchangeOrder>> =>
  decide(services, tx, exchangeOrderKind, {
    ...{ id, noun: NOUN, decidedBy },
    async judge(order) {
      const { status, terms } = order.transfer;
      if (!awaitsPayment(order))
        throw conflict('invalid_transition', `An order that is ${status} does not wait for its settlement.`);
      return releasing(order, await isAccountClosed(tx, terms.toAccountId));
    },
  });
