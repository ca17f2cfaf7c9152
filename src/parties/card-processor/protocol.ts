import { z } from 'zod';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
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
  changes: true,
};
