import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';
import { PartyRefused } from '../../process/party-errors';
import { type PartyClientOptions, partyClient } from '../protocol/client';
import { verifySignature } from '../protocol/signature';
import type { Bank, BankCredit } from './port';

const id = z.string().min(1).max(200);

const creditSchema = z.object({
  id,
  iban: z.string().max(60),
  amount: decimalText(),
  currency: z.string().max(8),
});

/** Names alone: each payment is asked for by its name, and one that cannot be read is not the end of its page. */
const pageSchema = z.object({ credits: z.array(z.object({ id })), next: z.string().nullable() });
const callbackSchema = z.object({ id, creditId: z.string().regex(/^[\w-]{1,100}$/) });

/** The bank over our own small JSON protocol: `GET /credits/{id}`, `GET /credits?after=`. */
export function createHttpBank(options: PartyClientOptions & { now?: () => Date }): Bank {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  return {
    async credit(creditId) {
      try {
        return creditOf(creditSchema.parse(await client.get(`/credits/${encodeURIComponent(creditId)}`)));
      } catch (error) {
        if (error instanceof PartyRefused && error.code === 'not_found') return 'unknown_to_provider';
        throw error;
      }
    },
    async creditsAfter(after) {
      const query = after === null ? '' : `?after=${encodeURIComponent(after)}`;
      return pageSchema.parse(await client.get(`/credits${query}`));
    },
    verify(raw, headers) {
      if (!verifySignature(raw, headers, { secret, now: now() })) return undefined;
      const message = callbackSchema.safeParse(parsed(raw));
      return message.success ? { externalId: message.data.id, creditId: message.data.creditId } : undefined;
    },
  };
}

const creditOf = ({ amount, ...rest }: z.infer<typeof creditSchema>): BankCredit => ({
  ...rest,
  amount: new Decimal(amount),
});

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
