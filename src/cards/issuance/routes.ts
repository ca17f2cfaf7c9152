import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { amount, identifier, text } from '../../kernel/wire/schemas';
import { requireCard } from '../cards/operations';
import { cardSchema, cardView, cardWithBalance } from '../cards/view';
import type { CardServices } from '../services';
import { requestCard } from './issue';

/** `POST /v1/cards` (`interface.md 4.1`, Cards). */
export function issueRoute(services: CardServices): Route {
  const { database } = services;
  return route({
    method: 'POST',
    path: '/v1/cards',
    scope: 'cards',
    tag: 'Cards',
    capability: 'card_issuing',
    summary: 'Issue a card',
    description:
      'The card is `pending` while its amount and issue fee are held. Then the card is `active`, or `failed` with the hold ' +
      'released. `Prefer: wait=N` waits for either.',
    body: z.strictObject({
      userId: identifier('usr_01jz0000000000000000000000'),
      accountId: identifier('acc_01jz0000000000000000000000'),
      cardholderId: identifier('chd_01jz0000000000000000000000'),
      label: text(100).optional(),
      amount: amount().optional(),
    }),
    response: cardSchema,
    status: 201,
    problems: [
      'user_blocked',
      'cardholder_not_approved',
      'bin_closed',
      'account_closed',
      'limit_exceeded',
      'insufficient_funds',
    ],
    settling: {
      read: async ({ caller }, id) =>
        cardWithBalance(database, await requireCard(database, caller.reach, id)),
      settled: (card: { status: string }) => card.status !== 'pending',
    },
    async write(tx, request) {
      const card = await requestCard(services, tx, request.body, request);
      const { id: subject, tenantId, status } = card;
      await auditAdmin(tx, { ...request, action: 'cards.issue', subject, tenantId, after: { status } });
      return cardView(card);
    },
  });
}
