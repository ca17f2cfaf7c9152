import { z } from 'zod';
import { invalid } from '../../kernel/errors';
import { isCurrency } from '../../kernel/money/currencies';
import { Decimal, fitsCurrency } from '../../kernel/money/money';
import { isStorable, parseObject, unstorableField } from '../../kernel/wire/json';
import { amountOrZero, currency, parsedBy, text, timestamp } from '../../kernel/wire/schemas';
import { UnreadableCallback } from '../../process/party-errors';
import { partyName } from '../protocol/stored';
import { CHALLENGE_TYPES, type ChallengeRequest, challengeMessage } from './challenge-message';
import { name } from './message-name';

/**
 * Messages of a card network, sent by the card processor. Our adapter, the documents and the network simulator share
 * them.
 */

export const MESSAGE_TYPES = ['authorization', 'advice', 'clearing', 'reversal', 'refund'] as const;

/** Authorizations and advices may be zero, because a card check moves no money. */
const MAY_BE_ZERO: readonly string[] = ['authorization', 'advice'];

/** How a payment reached the merchant. */
export const CHANNELS = ['ecommerce', 'present', 'atm', 'moto', 'merchant_initiated'] as const;
export type Channel = (typeof CHANNELS)[number];

const CHANNEL =
  'How an authorization reached the merchant: on the internet, with the card at a terminal or cash machine, by mail or telephone, or ' +
  'by the merchant under an agreement. An authorization without a channel is judged as one on the internet.';

const CHALLENGE =
  'The challenge that authenticated the payer of an authorization. It must be approved and unused, and have the same card, ' +
  'currency and `merchant.id`, and at least the amount.';

/** All fields are optional, because networks do not always know them. */
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

const FINAL = 'For a clearing: no further clearing follows, and the rest of the hold is released.';

/** Body of `POST /processor/v1/messages`. Unknown fields are ignored. */
export const processorMessage = z
  .object({
    messageId: name('Unique id of the message. A repeated message keeps it.'),
    type: z.enum(MESSAGE_TYPES),
    cardReference: partyName
      .refine(isStorable, 'must be text without NUL')
      .describe('The `reference` of the card.'),
    amount: amountOrZero().describe(
      'The amount of the transaction in `currency`, which may differ from the card’s.',
    ),
    currency: currency(),
    networkReference: name('The network’s reference, the same in all messages of one transaction.'),
    merchant: z.object(merchantFields).optional(),
    final: z.boolean().optional().describe(FINAL),
    channel: z.enum(CHANNELS).optional().describe(CHANNEL),
    challengeId: name(CHALLENGE).optional(),
    sentAt: timestamp().describe(
      'When the network first sent the message. It shows which of two messages came late.',
    ),
  })
  .superRefine(({ type, amount, currency: of }, { addIssue }) => {
    if (!(amount instanceof Decimal) || !isCurrency(of)) return; // the schema of the field reports it
    const refuse = (message: string) => addIssue({ code: 'custom', path: ['amount'], message });
    if (amount.isZero() && !MAY_BE_ZERO.includes(type)) refuse('must be greater than zero');
    if (!fitsCurrency(amount, of)) refuse(`must not have more decimals than ${of} allows`);
  });

/** Answer to an authorization. */
export const authorizationAnswer = z.object({
  approved: z.boolean(),
  declineReason: z.string().optional().meta({
    description:
      'A code: `insufficient_funds`, `card_frozen`, `authentication_required`, `processing_error` …',
  }),
  referenceId: z.string().describe('Our reference.'),
});

/** Answer to any other message. */
export const noticeAnswer = z.object({
  referenceId: z.string().describe('Our reference.'),
  unbooked: z
    .enum(['unknown_card', 'not_bookable'])
    .optional()
    .describe('The message is stored for a person. It must not be sent again.'),
});

export type NoticeAnswer = z.output<typeof noticeAnswer>;
export type AuthorizationAnswer = z.output<typeof authorizationAnswer>;

export type ProcessorMessage = z.output<typeof processorMessage> & {
  /** The body as received, for its fingerprint and for people who examine it. */
  received: Record<string, unknown>;
  /** The processor has authenticated the payer by its own 3-D Secure, so there is no challenge of ours. */
  authenticated?: boolean;
};

export type ChallengeMessage = ChallengeRequest & Pick<ProcessorMessage, 'received'>;

export const isChallengeMessage = <Other extends { type: string }>(
  message: Other | ChallengeMessage,
): message is ChallengeMessage => (CHALLENGE_TYPES as readonly string[]).includes(message.type);

/** Parses a processor's message. @throws UnreadableCallback its cause is a 400 that names the field */
export function readProcessorMessage(raw: Buffer): ProcessorMessage | ChallengeMessage {
  try {
    const received = parseObject(raw);
    const isChallenge = (CHALLENGE_TYPES as readonly unknown[]).includes(received['type']);
    const schema = isChallenge ? challengeMessage : processorMessage;
    const message = parsedBy(schema, received);
    const field = unstorableField(received);
    if (field !== undefined) throw invalid(`${field} must not contain NUL or unpaired surrogates.`, field);
    return { ...message, received };
  } catch (cause) {
    throw new UnreadableCallback('the message is not of this shape', { cause });
  }
}
