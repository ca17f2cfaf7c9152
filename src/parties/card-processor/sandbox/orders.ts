import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { PartyOptions } from '../../sandbox/options';
import { type Kept, orderBook } from '../../sandbox/orders/book';
import { changeAt, momentsOf } from '../../sandbox/orders/moments';
import type { CardWord } from '../word';
import { scenarioOf } from './scenarios';
import { type MadeCard, madeCard } from './sealed-number';

/** Seconds from an order to its decision, unless the label sets another time. */
const DECISION_SECONDS = 0.25;

interface AskedCard {
  bin: string;
  label: string | null;
}

/** A card as the sandbox's processor stores it. */
export type ProcessorCard = Kept<AskedCard, MadeCard>;

export type ToldCard = { key: string } & CardWord;

const state = z.object({
  numberSealed: z.string(),
  cvvSealed: z.string(),
  last4: z.string(),
  expiryMonth: z.number(),
  expiryYear: z.number(),
});

/** The state of a card until its order is taken. */
export const UNMADE: MadeCard = { numberSealed: '', cvvSealed: '', last4: '', expiryMonth: 0, expiryYear: 0 };

export function cardBook({ keyring, decisionSeconds = DECISION_SECONDS }: PartyOptions) {
  const decided = (label: string | null) => [
    { afterSeconds: scenarioOf(label).decisionSeconds ?? decisionSeconds },
  ];
  return orderBook({
    party: 'card-processor',
    kind: 'card',
    asked: z.object({ bin: z.string(), label: z.string().nullable() }),
    state,
    questionsFail: true,
    faultsOf: ({ label }) => scenarioOf(label),
    accept: (_, card, at) => madeCard(card, at, { keyring, random: randomInt }),
    momentsOf: ({ label }, at) => momentsOf(decided(label), {}, at),
    wordAt(card, version, at): ToldCard {
      const { key, label, id: reference, last4, expiryMonth, expiryYear } = card;
      const { refusal } = scenarioOf(label);
      if (!changeAt(decided(label), card.acceptedAt, at)) return { key, version, status: 'processing' };
      if (refusal !== undefined) return { key, version, status: 'failed', failureCode: refusal };
      const made = { reference: reference as string, last4, expiryMonth, expiryYear };
      return { key, version, status: 'issued', ...made };
    },
  });
}
