import { z } from 'zod';
import { orderBook } from '../../sandbox/orders/book';
import { changeAt, momentsOf } from '../../sandbox/orders/moments';
import type { ClosureWord, TokenizationWord } from '../word';
import { scenarioOf } from './scenarios';

/** Orders about a card that was made. The label of the card decides, so it is stored with the order. */

const ofCard = { reference: z.string(), label: z.string().nullable() };

/** A card is closed once, so its reference names the closure. */
export const closureId = (reference: string): string => `closure of ${reference}`;

const closed = (label: string | null) => [{ afterSeconds: scenarioOf(label).closeSeconds ?? 0 }];

export const CLOSURES = orderBook({
  party: 'card-processor',
  kind: 'closure',
  asked: z.object(ofCard),
  state: z.object({}),
  questionsFail: true,
  usedId: 'closed_already',
  faultsOf: ({ label }) => ({ unreachableSeconds: scenarioOf(label).closeUnreachableSeconds ?? 0 }),
  momentsOf: ({ label }, at) => momentsOf(closed(label), {}, at),
  wordAt({ key, label, acceptedAt }, version, at): { key: string } & ClosureWord {
    return { key, version, status: changeAt(closed(label), acceptedAt, at) ? 'closed' : 'processing' };
  },
});

/** A wallet's request has one version, because it is decided when it is taken. */
export const TOKENIZATIONS = orderBook({
  party: 'card-processor',
  kind: 'tokenization',
  asked: z.object({ ...ofCard, wallet: z.string() }),
  state: z.object({}),
  faultsOf: () => ({}),
  momentsOf: () => [],
  wordAt({ key, label }, version): { key: string } & TokenizationWord {
    const { tokenizeRefusal } = scenarioOf(label);
    if (tokenizeRefusal === undefined) return { key, version, status: 'completed' };
    return { key, version, status: 'failed', failureCode: tokenizeRefusal };
  },
});
