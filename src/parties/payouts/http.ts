import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { PartyRefused } from '../../process/party-errors';
import { type PartyClientOptions, partyClient } from '../protocol/client';
import { verifySignature } from '../protocol/signature';
import type { PayoutCallback, PayoutParty, PayoutState } from './port';

const stateSchema = z.object({
  id: z.string(),
  status: z.enum(['processing', 'sent', 'completed', 'failed', 'returned']),
  failureCode: z.string().optional(),
  /** A decimal string in the order's currency: all that has come back so far. */
  returned: z.string().optional(),
});

const callbackSchema = z.object({ id: z.string().min(1).max(200), key: z.string().max(200) });

/** We asked at the wrong place: that says nothing of the payout. */
const MISLED = ['unknown_path', 'not_found', 'method_not_allowed'];

/**
 * The payouts party over our JSON protocol: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`, and
 * callbacks `{ id, key }` signed over their exact bytes.
 */
export function createHttpPayouts(options: PartyClientOptions & { now?: () => Date }): PayoutParty {
  const client = partyClient(options);
  return {
    async submit({ key, amount, ...order }) {
      try {
        return stateOf(await client.post('/orders', { ...order, amount: amount.toFixed() }, key));
      } catch (error) {
        if (!(error instanceof PartyRefused) || MISLED.includes(error.code)) throw error;
        return { providerId: '', status: 'failed', failureCode: error.code };
      }
    },
    async get(key) {
      try {
        return stateOf(await client.get(`/orders/${encodeURIComponent(key)}`));
      } catch (error) {
        if (error instanceof PartyRefused && error.code === 'not_found') return 'unknown_to_provider';
        throw error;
      }
    },
    verify(raw, headers) {
      return verifySignature(raw, headers, { secret: options.secret, now: options.now?.() })
        ? callbackOf(raw)
        : undefined;
    },
  };
}

function stateOf(answer: unknown): PayoutState {
  const { id, status, failureCode, returned } = stateSchema.parse(answer);
  return {
    providerId: id,
    status,
    ...(failureCode === undefined ? {} : { failureCode }),
    ...(returned === undefined ? {} : { returned: new Decimal(returned) }),
  };
}

function callbackOf(raw: Buffer): PayoutCallback | undefined {
  try {
    const { id, key } = callbackSchema.parse(JSON.parse(raw.toString('utf8')));
    return { externalId: id, key };
  } catch {
    return undefined;
  }
}
