import { moneyText } from '../../../kernel/money/money';
import { type Decision, decision } from '../../../process/desk/decision';
import { type Desk, defineDesk } from '../../../process/desk/desk';
import { columnsOf } from '../../../process/desk/list';
import { record } from '../../../process/desk/record';
import type { Services } from '../../../services';
import { openTransfers, transferSubject } from '../../engine/desk';
import { transferStory } from '../../engine/story';
import { assertCancellable, cancelOrder } from './decide';
import { exchangeOrderKind } from './kind';
import { type ExchangeOrder, OPEN_ORDER_STATUSES } from './record';
import { exchangeOrderView } from './view';

type OrderDeskServices = Pick<Services, 'database' | 'commands' | 'now'>;

const columns = columnsOf<ExchangeOrder>();

export function exchangeOrderDesk(services: OrderDeskServices): Desk {
  const open = openTransfers(services, {
    name: 'exchange-orders',
    kind: exchangeOrderKind,
    open: OPEN_ORDER_STATUSES,
    columns: {
      amount: columns.money('amount', ({ transfer: { terms } }) => ({
        amount: terms.amount,
        currency: terms.currency,
      })),
      into: columns.text('into', ({ transfer }) => transfer.terms.toCurrency),
    },
  });
  return defineDesk({
    name: 'exchange-order',
    title: 'Orders to the exchange',
    lists: [open.list],
    records: [
      record({
        kind: 'exchangeOrder',
        title: 'An order to the exchange',
        story: (id, limit) =>
          transferStory(services, exchangeOrderKind, {
            id,
            limit,
            viewOf: async (order) => exchangeOrderView(order as ExchangeOrder),
          }),
      }),
    ],
    decisions: [cancel(services)],
    figures: open.figures,
  });
}

/** While the exchange is stopped or the client is disabled, an order waits here and can be cancelled. */
const cancel = (services: OrderDeskServices): Decision =>
  decision<ExchangeOrder>({
    name: 'exchange-order.cancel',
    title: 'releases what is held; refused once the exchange may have the order',
    permission: 'money',
    subject: transferSubject(services, exchangeOrderKind, 'exchange order'),
    restsOn: ({ transfer: { status, orderedAt }, decisions }) => ({
      status,
      ordered: orderedAt !== null,
      decisions: decisions.length,
    }),
    async preview(_, { subject }) {
      assertCancellable(subject);
      const { status, terms } = subject.transfer;
      return [
        { field: 'status', from: status, to: 'cancelled' },
        { field: 'held', from: moneyText(terms), to: null },
      ];
    },
    async execute(tx, { id: orderId }, { decidedBy, reason }) {
      const { before, after } = await cancelOrder(services, tx, { orderId, reason: reason ?? '', decidedBy });
      return {
        before: { status: before.transfer.status },
        after: { status: after.transfer.status },
        result: exchangeOrderView(after),
      };
    },
  });
