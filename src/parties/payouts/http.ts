import { z } from 'zod';
import { PartyRefused } from '../../process/party-errors';
import { decimal, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { PayoutParty, PayoutState } from './port';

const stateSchema = z.object({
  id: z.string(),
  status: z.enum(['processing', 'sent', 'completed', 'failed', 'returned']),
  failureCode: z.string().optional(),
  /** In the order's currency: all that has come back so far. */
  returned: decimal.optional(),
});

const callbackSchema = z.object({ id: z.string().min(1).max(200), key: z.string().max(200) });

/** Refusals of the request's address, which say nothing of the payout. */
const WRONG_ADDRESS = ['unknown_path', 'not_found', 'method_not_allowed'];

/**
 * The payouts party over our JSON protocol: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`, and
 * callbacks `{ id, key }` signed over their exact bytes.
 */
export function createHttpPayouts(options: AdapterOptions): PayoutParty {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  return {
    async submit({ key, amount, ...order }) {
      try {
        return stateOf(await client.post('/orders', { ...order, amount: amount.toFixed() }, key));
      } catch (error) {
        if (!(error instanceof PartyRefused) || WRONG_ADDRESS.includes(error.code)) throw error;
        return { providerId: '', status: 'failed', failureCode: error.code };
      }
    },
    get: (key) => orUnknown(client.get(`/orders/${encodeURIComponent(key)}`).then(stateOf)),
    verify(raw, headers) {
      const message = verifiedMessage(callbackSchema, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, key: message.key };
    },
  };
}

function stateOf(answer: unknown): PayoutState {
  const { id, status, failureCode, returned } = parseAnswer(stateSchema, answer);
  return {
    providerId: id,
    status,
    ...(failureCode === undefined ? {} : { failureCode }),
    ...(returned === undefined ? {} : { returned }),
  };
}
