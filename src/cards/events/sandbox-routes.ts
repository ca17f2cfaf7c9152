import { z } from 'zod';
import { problemBody } from '../../http/problem-body';
import { type Route, route } from '../../http/route';
import { amount, currency, identifier } from '../../kernel/wire/schemas';
import { CHANNELS, merchantFields } from '../../parties/card-processor/message';
import type { CardServices } from '../services';
import { cardTransactionSchema, cardTransactionView } from './view';

const body = z.strictObject({
  cardId: identifier('card_01h455vb4pex5vsknk084sn02q'),
  type: z.enum(['authorization', 'settle', 'cancel', 'refund', 'decline']),
  amount: amount().optional(),
  currency: currency().optional(),
  referenceId: identifier('ref_01h455vb4pex5vsknk084sn02q').optional(),
  final: z.boolean().optional().describe('Settle: releases the rest of the hold.'),
  merchant: z.strictObject(merchantFields).optional(),
  channel: z
    .enum(CHANNELS)
    .optional()
    .describe('Authorization: absent counts as `ecommerce`, for which limits may require a challenge.'),
});

/** Simulated messages of the processor, on the same path as real ones. Not available in production. */
export function sandboxRoutes(services: CardServices): Route[] {
  if (services.mode !== 'sandbox') return [];
  const { gatherer } = services;
  return [
    route({
      method: 'POST',
      path: '/sandbox/transactions',
      scope: 'cards',
      tag: 'Sandbox',
      summary: 'Create a sandbox transaction',
      description:
        'Sends a card event as the processor would. A declined authorization is answered by 201 with the `decline`.',
      body,
      status: 201,
      response: cardTransactionSchema,
      problems: ['limit_exceeded', 'invalid_transition'],
      gathered: ({ body: message, caller, idempotencyKey, requestId }, key) =>
        gatherer.submit({
          message: { ...message, reach: caller.reach, idempotencyKey },
          key,
          render: ({ transaction }) => ({
            status: 201,
            body: JSON.stringify(transaction && cardTransactionView(transaction)),
          }),
          refuse: (problem) => ({ status: problem.status, body: problemBody(problem, requestId) }),
        }),
    }),
  ];
}
