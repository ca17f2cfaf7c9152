import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { PartyRefused } from '../../process/party-errors';
import { decimal, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { CardOrder, CardOrderState, ExternalCards } from './port';

const stateSchema = z.object({
  status: z.enum(['requires_action', 'processing', 'succeeded', 'failed']),
  actionUrl: z.url({ protocol: /^https?$/, normalize: true }).optional(),
  failureCode: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .optional(),
  returned: decimal,
});

const callbackSchema = z.object({ id: z.string().min(1).max(200), key: z.string().min(1).max(200) });

const NOTHING_RETURNED = new Decimal(0);

/** The acquirer over our own small JSON protocol: `POST /charges`, `POST /pushes`, `GET /orders/{key}`. */
export function createHttpExternalCards(options: AdapterOptions): ExternalCards {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;

  async function order(path: string, given: CardOrder): Promise<CardOrderState> {
    const { key, token, amount, currency, merchant, returnUrl, expiresAt, callbackUrl } = given;
    const body = {
      ...{ token, amount: amount.toFixed(), currency, merchant, returnUrl, callbackUrl },
      expiresAt: expiresAt.toISOString(),
    };
    try {
      return stateOf(await client.post(path, body, key));
    } catch (error) {
      if (!(error instanceof PartyRefused)) throw error;
      return { status: 'failed', failureCode: error.code, returned: NOTHING_RETURNED };
    }
  }

  return {
    charge: (given) => order('/charges', given),
    push: (given) => order('/pushes', given),
    get: (key) => orUnknown(client.get(`/orders/${encodeURIComponent(key)}`).then(stateOf)),
    verify(raw, headers) {
      const message = verifiedMessage(callbackSchema, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, key: message.key };
    },
  };
}

function stateOf(answer: unknown): CardOrderState {
  const { status, actionUrl, failureCode, returned } = parseAnswer(stateSchema, answer);
  return {
    status,
    ...(actionUrl === undefined ? {} : { actionUrl }),
    ...(failureCode === undefined ? {} : { failureCode }),
    returned,
  };
}
