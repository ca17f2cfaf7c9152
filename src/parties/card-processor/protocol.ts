import { z } from 'zod';
import type { PartyLine, PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { cancelAnswer, challengeAnswer, challengeMessage, verifyAnswer } from './challenge-message';
import { authorizationAnswer, noticeAnswer, processorMessage } from './message';
import { WALLETS } from './port';
import { cardWord, closureWord, sensitiveCard, tokenizationWord } from './word';

/** What goes over the wire between us and a card processor: shared by our adapter and the sandbox's application. */

const callbackUrl = z.url();

/** Body of `POST /cards`. */
export const cardOrderBody = z.object({
  bin: z.string(),
  currency: z.string(),
  /** Our name of the person who will hold it. */
  cardholderId: z.string(),
  label: z.string().nullable(),
  callbackUrl,
});

/** Body of `POST /cards/{reference}/closure`. */
export const closureBody = z.object({ callbackUrl });

/** Body of `POST /cards/{reference}/tokenizations`. */
export const tokenizationBody = z.object({ wallet: z.enum(WALLETS), callbackUrl });

/** What they answer, and what is answered when they are asked for: the word, with the key of the order. */
const ofOrder = z.object({ key: partyName });
export const cardAnswer = ofOrder.and(cardWord);
export const closureAnswer = ofOrder.extend(closureWord.shape);
export const tokenizationAnswer = ofOrder.extend(tokenizationWord.shape);

/** A callback: the party's name for the message, and the key of the order that has changed. */
export const callbackMessage = z.object({ id: partyName, key: partyName });

const KEY = 'card_01h2xcejqtf2nbrexx3vqjhp41';
const CLOSURE_KEY = 'close-card_01h2xcejqtf2nbrexx3vqjhp41';
const ISSUED = { status: 'issued', reference: 'prc-1', last4: '4242', expiryMonth: 1, expiryYear: 2030 };
const TOKEN = { key: 'tkn_01h2xcejqtf2nbrexx3vqjhp41', version: 1, status: 'completed' };
const MALFORMED = { malformed_order: 'The body is not of this shape, or the key is missing.' };

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
  description: `The processor speaks first here. It sends what card networks say to our address, signed as callbacks are; \`cardReference\` is the
card's \`reference\`. What each type does:

| type | does | may be refused |
| --- | --- | --- |
| \`authorization\` | holds the amount, or more of it, where the transaction's authorization is open | yes: the answer says \`approved\` |
| \`advice\` | the same by force: it was authorized offline or by a stand-in | no |
| \`clearing\` | settles so much; what is not held is held by force first; with \`final\` the rest is released | no |
| \`reversal\` | releases so much, or all that is held where that is less | no |
| \`refund\` | gives so much back to the card | no |

- **One message, one name.** A \`messageId\` has one effect and one answer, for ever, byte for byte. Whatever is answered with anything but 200, or not
  at all, is sent again under the same name, with a new signature; but an authorization without an answer may be given up.
- **One transaction, one \`networkReference\`** on a card: its messages are of one chain of ours, in each currency. They may come in any order;
  \`sentAt\` is when the network sent it and stays the same, for by it we know what came late: an authorization that was sent no later than a
  clearing or a reversal that came before it does not hold the same money again.
- **Authorizations are answered within a second.** What cannot be judged in that time is declined with \`processing_error\`, and what it may hold is
  released by itself. An amount of zero asks whether the card may be used, and holds nothing.
- **A challenge** that an authorization names (\`challengeId\`) must be approved and unused. It serves one authorization of the same card, currency
  and \`merchant.id\`, of at most its amount. The approval uses the challenge in the same step; a decline leaves it as it was. A challenge that does not
  serve is declined with \`authentication_required\`, even where no rule asks for one: the message claims an authentication that did not take
  place, and the payer can be challenged anew. An \`advice\` uses the challenge that serves it, and is not refused for another.
- **A limit** of the card, its user or its programme may ask for a challenge: of each payment on the internet, above an amount, or of a merchant abroad. Without
  a challenge that serves it, the authorization is declined with \`authentication_required\`. No other \`channel\` is asked, because a terminal
  authenticates by itself, and nobody can be challenged by mail, by telephone or by agreement. A message that tells no \`channel\` is judged as \`ecommerce\`, and a
  merchant that tells no country is abroad. An increment needs a challenge of its own, or the channel \`merchant_initiated\`.
- **A card that we do not know**: an authorization is declined with \`unknown_card\`; anything else is answered with \`unbooked\`, kept, and shown to a person.`,
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
        ...{ type: 'authorization', ...EXAMPLE, messageId: 'msg-9' },
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
    'refund on a card that we do not know': {
      message: { type: 'refund', ...EXAMPLE, messageId: 'msg-4', cardReference: 'prc-2' },
      answer: { ...OURS, unbooked: 'unknown_card' },
    },
  },
  refusals: {
    400: 'It is signed and cannot be read: `field` says where. A person is told; send it again when it is set right.',
    401: 'The signature is wrong or too old: nothing was done.',
    409: 'It is being judged just now: send it again.',
    422: 'Its `messageId` is another message’s: nothing was done, and a person is told.',
    503: 'Nothing was booked, or it is not known: send it again.',
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
| \`challenge.resend\` | ends the present code and mails another one, three times at most | as \`challenge\` |
| \`challenge.cancel\` | ends the challenge | its \`status\` |

- **A code** has six digits and is valid for five minutes, or until \`expiresAt\` where that comes first. The third wrong code fails the challenge.
  An expired code can be sent again until \`expiresAt\`. A resend does not give back tries.
- **A mail** that could not be sent within a minute makes the challenge \`unavailable\`. A \`challenge.verify\` is then answered with \`expired\`.
- **A reason** says why a challenge is not accepted: \`unknown_card\`, \`card_not_active\`, \`user_blocked\`, \`no_address\` (the cardholder has no e-mail),
  \`too_many_challenges\` (of the card on a UTC day), \`challenge_known\` (the name was used), \`mail_not_configured\` or \`expired\`. A resend may also
  be refused with \`unknown_challenge\`, \`too_many_resends\`, or the status that the challenge has reached.
- **The state** is read by \`GET /processor/v1/challenges/{challengeId}\`. The signature of that request is made over its path in the place of a
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
    400: 'It is signed and cannot be read: `field` says where.',
    401: 'The signature is wrong or too old: nothing was done.',
    409: 'It is being answered just now: send it again.',
    422: 'Its `messageId` is another message’s: nothing was done.',
    503: 'Nothing was done, or it is not known: send it again.',
  },
};

export const cardProcessorProtocol: PartyProtocol = {
  name: 'card-processor',
  title: 'Card processor',
  purpose:
    'Makes cards, closes them, tells their numbers for the moment of showing them, and gives wallets their tokens.',
  operations: [
    {
      ...{ name: 'card', kind: 'order', method: 'POST', path: '/cards', ref: 'key' },
      summary: 'Make a card',
      request: cardOrderBody,
      sample: (given) => ({
        ...{ bin: '44112200', currency: 'USD', cardholderId: 'chd_01h2xcejqtf2nbrexx3vqjhp41', label: null },
        callbackUrl: given.callbackUrl,
      }),
      another: { label: 'another' },
      answer: cardAnswer,
      example: { key: KEY, version: 1, status: 'processing' },
      refusals: { ...MALFORMED, bin_closed: 'Any reason of the party’s own: the card has failed with it.' },
    },
    {
      ...{ name: 'state', kind: 'state', method: 'GET', path: '/cards/{key}', ref: 'key' },
      summary: 'The state of an order of a card',
      answer: cardAnswer,
      example: { key: KEY, version: 2, ...ISSUED },
    },
    {
      ...{ name: 'sensitive', kind: 'detail', method: 'GET', path: '/cards/{reference}/sensitive' },
      summary: 'The number of a card, for the moment of showing it',
      description: 'We neither keep nor log it.',
      answer: sensitiveCard,
      example: { cardNumber: '4411220000004242', cvv: '123', expiryMonth: 1, expiryYear: 2030 },
    },
    {
      ...{ name: 'tokenization', kind: 'part', method: 'POST', path: '/cards/{reference}/tokenizations' },
      summary: 'Give a wallet a token of a card',
      request: tokenizationBody,
      sample: (given) => ({ wallet: 'apple_pay', callbackUrl: given.callbackUrl }),
      another: { wallet: 'google_pay' },
      answer: tokenizationAnswer,
      example: TOKEN,
      refusals: MALFORMED,
    },
    {
      ...{ name: 'tokenization-state', kind: 'detail', method: 'GET' },
      path: '/cards/{reference}/tokenizations/{key}',
      summary: 'The state of a tokenization',
      answer: tokenizationAnswer,
      example: TOKEN,
    },
    {
      ...{ name: 'closure', kind: 'part', method: 'POST', path: '/cards/{reference}/closure', single: true },
      summary: 'Close a card for ever',
      request: closureBody,
      sample: (given) => ({ callbackUrl: given.callbackUrl }),
      another: {},
      answer: closureAnswer,
      example: { key: CLOSURE_KEY, version: 1, status: 'processing' },
      refusals: { ...MALFORMED, closed_already: 'It was closed under another key.' },
    },
    {
      ...{ name: 'closure-state', kind: 'detail', method: 'GET', path: '/cards/{reference}/closure' },
      summary: 'The state of a closure',
      answer: closureAnswer,
      example: { key: CLOSURE_KEY, version: 2, status: 'closed' },
    },
  ],
  callback: { schema: callbackMessage, ref: 'key', example: { id: 'change-17', key: KEY } },
  lines: [messages, challenges],
  changes: true,
};
