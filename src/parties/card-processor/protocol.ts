import { z } from 'zod';
import type { PartyLine, PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { cancelAnswer, challengeAnswer, challengeMessage, verifyAnswer } from './challenge-message';
import { authorizationAnswer, noticeAnswer, processorMessage } from './message';
import { WALLETS } from './port';
import { cardWord, closureWord, sensitiveCard, tokenizationWord } from './word';

/** The wire format between us and a card processor. Our adapter and the sandbox's application share it. */

const callbackUrl = z.url();

/** Body of `POST /cards`. */
export const cardOrderBody = z.object({
  bin: z.string(),
  currency: z.string(),
  /** Our id of the future cardholder. */
  cardholderId: z.string(),
  label: z.string().nullable(),
  callbackUrl,
});

/** Body of `POST /cards/{reference}/closure`. */
export const closureBody = z.object({ callbackUrl });

/** Body of `POST /cards/{reference}/tokenizations`. */
export const tokenizationBody = z.object({ wallet: z.enum(WALLETS), callbackUrl });

/** Answers to orders and to reads of them: the present state, with the key of the order. */
const ofOrder = z.object({ key: partyName });
export const cardAnswer = ofOrder.and(cardWord);
export const closureAnswer = ofOrder.extend(closureWord.shape);
export const tokenizationAnswer = ofOrder.extend(tokenizationWord.shape);

/** A callback: the party's id of the message, and the key of the order that has changed. */
export const callbackMessage = z.object({ id: partyName, key: partyName });

const KEY = 'card_01h2xcejqtf2nbrexx3vqjhp41';
const CLOSURE_KEY = 'close-card_01h2xcejqtf2nbrexx3vqjhp41';
const ISSUED = { status: 'issued', reference: 'prc-1', last4: '4242', expiryMonth: 1, expiryYear: 2030 };
const TOKEN = { key: 'tkn_01h2xcejqtf2nbrexx3vqjhp41', version: 1, status: 'completed' };
const MALFORMED = { malformed_order: 'The body does not match this schema, or the key is missing.' };

const EXAMPLE = {
  messageId: 'msg-1',
  cardReference: 'prc-1',
  amount: '60.00',
  currency: 'USD',
  networkReference: '300112345678901',
  merchant: { name: 'Bookshop', mcc: '5942', city: 'Vienna', country: 'AT' },
  sentAt: '2026-01-31T12:00:00.000Z',
};
const OURS = { referenceId: 'ref_01h2xcejqtf2nbrexx3vqjhp41' };

const messages: PartyLine = {
  name: 'message',
  path: '/processor/v1/messages',
  summary: 'What card networks say of cards',
  description: `The processor sends the messages of card networks to our address, signed as callbacks are. \`cardReference\` is the
card's \`reference\`. The types of messages:

| type | effect | may be refused |
| --- | --- | --- |
| \`authorization\` | holds the amount, or more of it, where the transaction's authorization is open | yes: the answer says \`approved\` |
| \`advice\` | the same, without a check: the payment was authorized offline or by a stand-in | no |
| \`clearing\` | settles the amount. A part that is not held is held first, without a check. \`final\` releases the rest | no |
| \`reversal\` | releases the amount, at most what is held | no |
| \`refund\` | returns the amount to the card | no |

- **Repeats.** A \`messageId\` has one effect and one answer, always the same bytes. Repeat a message that got no answer, or an answer other than 200,
   under the same \`messageId\` and with a new signature. An authorization without an answer may be given up instead.
- **One transaction, one \`networkReference\`** on a card: its messages belong together, in each currency. They may come in any order.
  \`sentAt\` is when the network sent the message, and a repeat keeps it, because it shows what came late. An authorization that was sent no later than a
  clearing or reversal that we already have does not hold the same money again.
- **Authorizations are answered within a second.** An authorization that cannot be judged in that time is declined with \`processing_error\`, and any hold
   of it is released automatically. An amount of zero asks whether the card may be used, and holds nothing.
- **A challenge** that an authorization names (\`challengeId\`) must be approved and unused. It serves one authorization of the same card, currency
  and \`merchant.id\`, of at most its amount. The approval uses the challenge in the same step; a decline leaves it as it was. A challenge that does not
  serve is declined with \`authentication_required\`, even where no rule asks for one. The message claims an authentication that did not take
   place, and the payer can be challenged again. An \`advice\` uses a challenge that serves it, and is booked also without one.
- **A limit** of the card, its user or its programme may ask for a challenge: for each payment on the internet, above an amount, or at a merchant abroad. Without
  a challenge that serves it, the authorization is declined with \`authentication_required\`. No other \`channel\` is asked, because a terminal
  authenticates by itself, and nobody can be challenged by mail, by telephone or by agreement. A message without a \`channel\` is judged as \`ecommerce\`, and a
   merchant without a country is abroad. An increment needs a challenge of its own, or the channel \`merchant_initiated\`.
- **An unknown card**: an authorization is declined with \`unknown_card\`. Any other message is answered with \`unbooked\`, stored, and shown to a person.`,
  message: processorMessage,
  answer: z.union([authorizationAnswer, noticeAnswer]),
  examples: {
    authorization: {
      message: { type: 'authorization', ...EXAMPLE },
      answer: { approved: true, ...OURS },
    },
    'authorization, declined': {
      message: { type: 'authorization', ...EXAMPLE, messageId: 'msg-2', amount: '6000.00' },
      answer: { approved: false, declineReason: 'insufficient_funds', ...OURS },
    },
    'authorization of an authenticated payer': {
      message: {
        type: 'authorization',
        ...EXAMPLE,
        messageId: 'msg-9',
        merchant: { id: '300012345', ...EXAMPLE.merchant },
        channel: 'ecommerce',
        challengeId: 'acs-1',
      },
      answer: { approved: true, ...OURS },
    },
    clearing: {
      message: { type: 'clearing', ...EXAMPLE, messageId: 'msg-3', final: true },
      answer: OURS,
    },
    'refund on an unknown card': {
      message: { type: 'refund', ...EXAMPLE, messageId: 'msg-4', cardReference: 'prc-2' },
      answer: { ...OURS, unbooked: 'unknown_card' },
    },
  },
  refusals: {
    400: 'The message is signed but unreadable. `field` names the field, and a person is told. Correct the message and send it again.',
    401: 'The signature is wrong or too old. Nothing was done.',
    409: 'The same message is being judged now. Send it again.',
    422: 'Another message has this `messageId`. Nothing was done, and a person is told.',
    503: 'Nothing was booked, or the outcome is unknown. Send the message again.',
  },
};

const OF_CHALLENGE = { challengeId: 'acs-1' };

const challenges: PartyLine = {
  name: 'challenge',
  path: '/processor/v1/messages',
  summary: 'Challenges of 3-D Secure',
  description: `The processor owns the page on which a payer is authenticated, and its cryptogram. We make the one-time code, mail it to the
cardholder, and judge what the payer has typed. These messages come to the same address and are signed and
deduplicated alike.

| type | does | answer |
| --- | --- | --- |
| \`challenge\` | mails a code to the cardholder | \`accepted\`, and \`maskedDestination\` for the page |
| \`challenge.verify\` | judges a code that the payer has typed | \`result\`, and how many tries are left |
| \`challenge.resend\` | ends the present code and mails another, three times at most | as \`challenge\` |
| \`challenge.cancel\` | ends the challenge | its \`status\` |

- **A code** has six digits and is valid for five minutes, or until \`expiresAt\` where that comes first. The third wrong code fails the challenge.
  An expired code can be sent again until \`expiresAt\`. A resend does not give back tries.
- **A mail** that could not be sent within a minute makes the challenge \`unavailable\`. A \`challenge.verify\` is then answered with \`expired\`.
- **A reason** says why a challenge is not accepted: \`unknown_card\`, \`card_not_active\`, \`user_blocked\`, \`no_address\` (the cardholder has no e-mail),
  \`too_many_challenges\` (of the card on a UTC day), \`challenge_known\` (the id was used), \`mail_not_configured\` or \`expired\`. A resend may also
  be refused with \`unknown_challenge\`, \`too_many_resends\`, or the status that the challenge has reached.
- **The state** is read by \`GET /processor/v1/challenges/{challengeId}\`. The signature of that request covers its path instead of a
  body. The status is one of \`sending\`, \`sent\`, \`approved\`, \`used\`, \`failed\`, \`expired\`, \`cancelled\` and \`unavailable\`.
- **An approved challenge** is named by the authorization of its purchase (\`challengeId\`), which makes it \`used\`.
- **A repeated \`challenge.verify\`** gets the first answer, even with another code. No message, log or record keeps a code.`,
  message: challengeMessage,
  answer: z.union([challengeAnswer, verifyAnswer, cancelAnswer]),
  examples: {
    challenge: {
      message: {
        messageId: 'msg-5',
        type: 'challenge',
        ...OF_CHALLENGE,
        cardReference: 'prc-1',
        amount: '60.00',
        currency: 'USD',
        merchant: { id: '300012345', name: 'Bookshop', country: 'AT' },
        expiresAt: '2026-01-31T12:10:00.000Z',
      },
      answer: { accepted: true, maskedDestination: 'a***@example.com' },
    },
    'verification of a code': {
      message: { messageId: 'msg-6', type: 'challenge.verify', ...OF_CHALLENGE, code: '012345' },
      answer: { result: 'approved', triesLeft: 3 },
    },
    resend: {
      message: { messageId: 'msg-7', type: 'challenge.resend', ...OF_CHALLENGE },
      answer: { accepted: false, reason: 'too_many_resends' },
    },
    cancellation: {
      message: { messageId: 'msg-8', type: 'challenge.cancel', ...OF_CHALLENGE },
      answer: { status: 'cancelled' },
    },
  },
  refusals: {
    400: 'The message is signed but unreadable. `field` names the field.',
    401: 'The signature is wrong or too old. Nothing was done.',
    409: 'The same message is being answered now. Send it again.',
    422: 'Another message has this `messageId`. Nothing was done.',
    503: 'Nothing was done, or the outcome is unknown. Send the message again.',
  },
};

export const cardProcessorProtocol: PartyProtocol = {
  name: 'card-processor',
  title: 'Card processor',
  purpose: 'Makes and closes cards, shows their numbers, and gives wallets tokens of them.',
  operations: [
    {
      name: 'card',
      kind: 'order',
      method: 'POST',
      path: '/cards',
      ref: 'key',
      summary: 'Make a card',
      request: cardOrderBody,
      sample: (given) => ({
        bin: '44112200',
        currency: 'USD',
        cardholderId: 'chd_01h2xcejqtf2nbrexx3vqjhp41',
        label: null,
        callbackUrl: given.callbackUrl,
      }),
      another: { label: 'another' },
      answer: cardAnswer,
      example: { key: KEY, version: 1, status: 'processing' },
      refusals: { ...MALFORMED, bin_closed: 'Any code of the party’s own. The card fails with it.' },
    },
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/cards/{key}',
      ref: 'key',
      summary: 'The state of an order of a card',
      answer: cardAnswer,
      example: { key: KEY, version: 2, ...ISSUED },
    },
    {
      name: 'sensitive',
      kind: 'detail',
      method: 'GET',
      path: '/cards/{reference}/sensitive',
      summary: 'The number of a card, to show it to its holder',
      description: 'We neither store nor log the number.',
      answer: sensitiveCard,
      example: { cardNumber: '4411220000004242', cvv: '123', expiryMonth: 1, expiryYear: 2030 },
    },
    {
      name: 'tokenization',
      kind: 'part',
      method: 'POST',
      path: '/cards/{reference}/tokenizations',
      summary: 'Give a wallet a token of a card',
      request: tokenizationBody,
      sample: (given) => ({ wallet: 'apple_pay', callbackUrl: given.callbackUrl }),
      another: { wallet: 'google_pay' },
      answer: tokenizationAnswer,
      example: TOKEN,
      refusals: MALFORMED,
    },
    {
      name: 'tokenization-state',
      kind: 'detail',
      method: 'GET',
      path: '/cards/{reference}/tokenizations/{key}',
      summary: 'The state of a tokenization',
      answer: tokenizationAnswer,
      example: TOKEN,
    },
    {
      name: 'closure',
      kind: 'part',
      method: 'POST',
      path: '/cards/{reference}/closure',
      single: true,
      summary: 'Close a card for good',
      request: closureBody,
      sample: (given) => ({ callbackUrl: given.callbackUrl }),
      another: {},
      answer: closureAnswer,
      example: { key: CLOSURE_KEY, version: 1, status: 'processing' },
      refusals: { ...MALFORMED, closed_already: 'The card was closed under another key.' },
    },
    {
      name: 'closure-state',
      kind: 'detail',
      method: 'GET',
      path: '/cards/{reference}/closure',
      summary: 'The state of a closure',
      answer: closureAnswer,
      example: { key: CLOSURE_KEY, version: 2, status: 'closed' },
    },
  ],
  callback: { schema: callbackMessage, ref: 'key', example: { id: 'change-17', key: KEY } },
  lines: [messages, challenges],
  changes: true,
};
