import { z } from 'zod';
import { invalid } from '../../kernel/errors';
import { isCurrency } from '../../kernel/money/currencies';
import { Decimal, fitsCurrency } from '../../kernel/money/money';
import { isStorable, parseObject, unstorableField } from '../../kernel/wire/json';
import { amountOrZero, currency, firstProblem, text, timestamp } from '../../kernel/wire/schemas';
import { UnreadableCallback } from '../../process/party-errors';
import { partyName } from '../protocol/stored';
import { CHALLENGE_TYPES, type ChallengeRequest, challengeMessage } from './challenge-message';
import { name } from './message-name';

/** What a card processor tells us of a card network: shared by our adapter, the documents and whoever plays a network. */

export const MESSAGE_TYPES = ['authorization', 'advice', 'clearing', 'reversal', 'refund'] as const;

/** Of an authorization and of an advice: the others move money. */
const MAY_BE_ZERO: readonly string[] = ['authorization', 'advice'];

/** How a payment reached the merchant. */
export const CHANNELS = ['ecommerce', 'present', 'atm', 'moto', 'merchant_initiated'] as const;
export type Channel = (typeof CHANNELS)[number];

const CHANNEL =
  'Of an authorization: on the internet, with the card at a terminal or at a cash machine, by mail or telephone, or by the merchant ' +
  'under an agreement. An authorization that does not tell its channel is judged as one on the internet.';

const CHALLENGE =
  'Of an authorization: the challenge by which the payer was authenticated. It must be approved and unused, and of the same card, ' +
  'currency and `merchant.id`, and of no smaller amount.';

/** As far as it is known. */
export const merchantFields = {
  id: name('The merchant’s id in the card network.').optional(),
  name: text(100).optional(),
  mcc: z
    .string()
    .regex(/^\d{4}$/, 'must be four digits')
    .optional(),
  city: text(100).optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2,3}$/, 'must be a country code')
    .optional(),
};

const FINAL = 'Clearing: nothing more will be cleared, and whatever is still held is released.';

/** Body of `POST /processor/v1/messages`. Fields that it does not name are passed over. */
export const processorMessage = z
  .object({
    messageId: name('Of this message for ever: the same when it is sent again, of no other.'),
    type: z.enum(MESSAGE_TYPES),
    cardReference: partyName
      .refine(isStorable, 'must be text without NUL')
      .describe('The `reference` of the card.'),
    amount: amountOrZero().describe('In `currency`: of the transaction, not of the card.'),
    currency: currency(),
    networkReference: name('The network’s, the same of all messages of one transaction.'),
    merchant: z.object(merchantFields).optional(),
    final: z.boolean().optional().describe(FINAL),
    channel: z.enum(CHANNELS).optional().describe(CHANNEL),
    challengeId: name(CHALLENGE).optional(),
    sentAt: timestamp().describe('When it was first sent: it tells which of two messages came late.'),
  })
  .superRefine(({ type, amount, currency: of }, { addIssue }) => {
    if (!(amount instanceof Decimal) || !isCurrency(of)) return; // told already
    const refuse = (message: string) => addIssue({ code: 'custom', path: ['amount'], message });
    if (amount.isZero() && !MAY_BE_ZERO.includes(type)) refuse('must be greater than zero');
    if (!fitsCurrency(amount, of)) refuse(`must not have more decimals than ${of} allows`);
  });

/** Its answer, of an authorization. */
export const authorizationAnswer = z.object({
  approved: z.boolean(),
  declineReason: z.string().optional().meta({
    description:
      'A plain word: `insufficient_funds`, `card_frozen`, `authentication_required`, `processing_error` …',
  }),
  referenceId: z.string().describe('Ours.'),
});

/** Its answer, of any other message. */
export const noticeAnswer = z.object({
  referenceId: z.string().describe('Ours.'),
  unbooked: z
    .enum(['unknown_card', 'not_bookable'])
    .optional()
    .describe('It is kept, and a person looks at it: it need not be sent again.'),
});

export type NoticeAnswer = z.output<typeof noticeAnswer>;
export type AuthorizationAnswer = z.output<typeof authorizationAnswer>;

export type ProcessorMessage = z.output<typeof processorMessage> & {
  /** As it came, for its fingerprint and for whoever looks at it. */
  received: Record<string, unknown>;
};

/** A processor's message about a challenge. */
export type ChallengeMessage = ChallengeRequest & Pick<ProcessorMessage, 'received'>;

export const isChallengeMessage = (
  message: ProcessorMessage | ChallengeMessage,
): message is ChallengeMessage => (CHALLENGE_TYPES as readonly string[]).includes(message.type);

/** @throws UnreadableCallback whose cause is the problem: 400, naming the field */
export function readProcessorMessage(raw: Buffer): ProcessorMessage | ChallengeMessage {
  try {
    const received = parseObject(raw);
    const isChallenge = (CHALLENGE_TYPES as readonly unknown[]).includes(received['type']);
    const schema = isChallenge ? challengeMessage : processorMessage;
    const parsed = schema.safeParse(received, { reportInput: true });
    if (!parsed.success) throw firstProblem(parsed.error);
    const field = unstorableField(received);
    if (field !== undefined)
      throw invalid(`${field} must be text without NUL and without halves of characters.`, field);
    return { ...parsed.data, received };
  } catch (cause) {
    throw new UnreadableCallback('the message is not of this shape', { cause });
  }
}
