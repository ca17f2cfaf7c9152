import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { amount, assertFits, currency, text } from '../../kernel/wire/schemas';
import { receivePayment } from '../../parties/bank/sandbox/receive';
import type { Services } from '../../services';
import { CREDIT_CALLBACK_PATH } from './credits/kind';

const body = z.strictObject({
  iban: text(60)
    .min(1)
    .meta({ examples: ['LT529999900000000001'] }),
  amount: amount(),
  currency: currency().default('EUR'),
  remitter: z
    .strictObject({ name: text(140).trim().min(1), iban: text(60).min(1).optional() })
    .optional()
    .describe('The payer, as the statements of the virtual IBAN name them.'),
  mute: z
    .boolean()
    .default(false)
    .describe('The bank sends no callback. The payment is found by polling, within a minute.'),
});

/** A payment to an IBAN from outside. It takes the path of a real payment. Off in production. */
export function bankingSandboxRoutes(services: Services): Route[] {
  const { mode, now } = services;
  if (mode !== 'sandbox') return [];
  return [
    route({
      method: 'POST',
      path: '/sandbox/iban-credits',
      scope: 'money',
      tag: 'Sandbox',
      summary: 'Pay to a virtual IBAN from outside',
      description:
        'The bank of the sandbox receives the payment and calls back; the credit is booked a moment later. A payment to an ' +
        'unknown or disabled IBAN waits in suspense for the operator.',
      body,
      status: 202,
      response: z
        .object({ id: z.string().meta({ description: 'The bank\u2019s name for the payment.' }) })
        .meta({ id: 'SandboxIbanCredit' }),
      async write(tx, { body: payment }) {
        assertFits(payment.amount, payment.currency);
        const callbackUrl = services.publicUrl() + CREDIT_CALLBACK_PATH;
        return { id: await receivePayment(tx, payment, { callbackUrl, at: now() }) };
      },
    }),
  ];
}
