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
  final: z.boolean().optional().describe('Settle: release whatever is still held afterwards.'),
  merchant: z.strictObject(merchantFields).optional(),
  channel: z
    .enum(CHANNELS)
    .optional()
    .describe('Authorization: absent is judged as `ecommerce`, which limits may ask a challenge for.'),
});

/** Simulated processor messages: they take the very path of real ones. Off in production. */
export function sandboxRoutes(services: CardServices): Route[] {
  if (services.mode !== 'sandbox') return [];
  const { gatherer } = services;
  return [
    route({
      method: 'POST',
      path: '/sandbox/transactions',
      tag: 'Sandbox',
      summary: 'Create a sandbox transaction',
      description:
        'A card event as the processor would send it. A declined authorization is a result too: 201 with the `decline`.',
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
