import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { PartyOptions } from '../../sandbox/options';
import { orderBook } from '../../sandbox/orders/book';
import { changeAt, momentsOf } from '../../sandbox/orders/moments';
import type { CardWord } from '../word';
import { scenarioOf } from './scenarios';
import { madeCard, madeState } from './sealed-number';

/** Seconds from an order to its decision, unless the label sets another time. */
const DECISION_SECONDS = 0.25;

export type CardReport = { key: string } & CardWord;

export function cardBook({ keyring, decisionSeconds = DECISION_SECONDS }: PartyOptions) {
  const decided = (label: string | null) => [
    { afterSeconds: scenarioOf(label).decisionSeconds ?? decisionSeconds },
  ];
  return orderBook({
    party: 'card-processor',
    kind: 'card',
    asked: z.object({ bin: z.string(), label: z.string().nullable() }),
    state: madeState,
    questionsFail: true,
    faultsOf: ({ label }) => scenarioOf(label),
    accept: (_, card, at) => madeCard(card, at, { keyring, random: randomInt }),
    momentsOf: ({ label }, at) => momentsOf(decided(label), {}, at),
    wordAt(card, version, at): CardReport {
      const { key, label, id: reference, last4, expiryMonth, expiryYear } = card;
      const { refusal } = scenarioOf(label);
      if (!changeAt(decided(label), card.acceptedAt, at)) return { key, version, status: 'processing' };
      if (refusal !== undefined) return { key, version, status: 'failed', failureCode: refusal };
      const made = { reference: reference as string, last4, expiryMonth, expiryYear };
      return { key, version, status: 'issued', ...made };
    },
  });
}
