import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';
import { PartyRefused } from '../../process/party-errors';
import { type PartyClientOptions, partyClient } from '../protocol/client';
import { verifySignature } from '../protocol/signature';
import type { CardOrder, CardOrderState, ExternalCards } from './port';

const stateSchema = z.object({
  status: z.enum(['requires_action', 'processing', 'succeeded', 'failed']),
  actionUrl: z.url({ protocol: /^https?$/, normalize: true }).optional(),
  failureCode: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .optional(),
  returned: decimalText(),
});

const callbackSchema = z.object({ id: z.string().min(1).max(200), key: z.string().min(1).max(200) });

const NOTHING_RETURNED = new Decimal(0);

export interface HttpExternalCardsOptions extends PartyClientOptions {
  now?: () => Date;
}

/** The acquirer over our own small JSON protocol: `POST /charges`, `POST /pushes`, `GET /orders/{key}`. */
export function createHttpExternalCards(options: HttpExternalCardsOptions): ExternalCards {
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
    async get(key) {
      try {
        return stateOf(await client.get(`/orders/${encodeURIComponent(key)}`));
      } catch (error) {
        if (error instanceof PartyRefused && error.code === 'not_found') return 'unknown_to_provider';
        throw error;
      }
    },
    verify(raw, headers) {
      if (!verifySignature(raw, headers, { secret, now: now() })) return undefined;
      const message = callbackSchema.safeParse(parsed(raw));
      return message.success ? { externalId: message.data.id, key: message.data.key } : undefined;
    },
  };
}

/** @throws ZodError for an answer that is none: nothing is concluded from it */
function stateOf(answer: unknown): CardOrderState {
  const { status, actionUrl, failureCode, returned } = stateSchema.parse(answer);
  return {
    status,
    ...(actionUrl === undefined ? {} : { actionUrl }),
    ...(failureCode === undefined ? {} : { failureCode }),
    returned: new Decimal(returned),
  };
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
