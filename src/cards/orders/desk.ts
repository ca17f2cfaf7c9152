import { z } from 'zod';
import { isId } from '../../kernel/ids';
import { moneyText } from '../../kernel/money/money';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { findCard, lockCard } from '../cards/operations';
import type { Card } from '../cards/record';
import type { CardServices } from '../services';
import { assertOpenOrder, CARD_CONCLUSIONS, type CardConclusion, concludeCardOrder } from './conclude';
import { waitingAmount } from './overdue';

type CardOrderDeskServices = Pick<CardServices, 'programmes' | 'parties' | 'commands' | 'now'>;

/** The desk of orders to the card processor that it never ends. Overdue ones are breaks. */
export const cardOrderDesk = (services: CardOrderDeskServices): Desk =>
  defineDesk({
    name: 'card-order',
    title: 'Issuances and closures of cards at the processor',
    decisions: [conclude(services)],
  });

const card: SubjectSpec<Card> = {
  noun: 'card',
  kinds: ['card'],
  read: async (sql, id) => (isId('card', id) ? findCard(sql, null, id) : undefined),
  lock: (tx, id) => lockCard(tx, id),
  tenantOf: ({ tenantId }) => tenantId,
};

const conclude = (services: CardOrderDeskServices): Decision =>
  decision<Card, { as: CardConclusion }>({
    name: 'card-order.conclude',
    title: 'ends an issuance or a closure that the processor never ends, until it says something else',
    permission: 'money',
    subject: card,
    input: z.strictObject({
      as: z.enum(CARD_CONCLUSIONS).meta({ description: 'The issuance has failed, or the card is closed.' }),
    }),
    restsOn: ({ status }) => ({ status }),
    async weigh(tx, { subject, input }) {
      assertOpenOrder(subject, input.as);
      return { amount: await waitingAmount(tx, subject), currency: subject.currency, ever: true };
    },
    async preview(tx, { subject, input: { as } }) {
      assertOpenOrder(subject, as);
      const { status, currency } = subject;
      const waiting = moneyText({ amount: await waitingAmount(tx, subject), currency });
      return [
        { field: 'status', from: status, to: as },
        { field: 'returned to the account', from: null, to: waiting },
      ];
    },
    async execute(tx, { id: cardId, subject, input: { as } }) {
      const { status } = await concludeCardOrder(services, tx, { cardId, as });
      return { before: { status: subject.status }, after: { status, as }, result: { cardId, status } };
    },
  });
