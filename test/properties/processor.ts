import type { CardProcessor } from '../../src/parties/card-processor/port';
import type { CardWord, ClosureWord } from '../../src/parties/card-processor/word';
import { PROCESSOR } from '../support/cards';

export interface Processor {
  party: CardProcessor;
  /** Decides the order of a card. The first decision stands. */
  decide(cardId: string, issued: boolean): void;
}

const unused = () => Promise.reject(new Error('nobody asks for this here'));

/** A card processor that issues by `decide`, and confirms a closure at the second question. */
export function createProcessor(): Processor {
  const orders = new Map<string, CardWord>();
  const closures = new Map<string, ClosureWord>();
  return {
    party: {
      issuance: (key) => Promise.resolve(orders.get(key) ?? 'unknown_to_party'),
      issue: ({ key }) => Promise.resolve(orders.get(key) ?? { status: 'processing' }),
      closure({ key }) {
        const known = closures.get(key);
        if (known) closures.set(key, { status: 'closed' });
        return Promise.resolve(known ? { status: 'closed' } : 'unknown_to_party');
      },
      close({ key }) {
        closures.set(key, { status: 'processing' });
        return Promise.resolve({ status: 'processing' });
      },
      sensitive: unused,
      tokenize: unused,
      tokenization: unused,
      changes: unused,
      verify: () => undefined,
      verifyMessage: () => undefined,
      verifyQuestion: () => false,
    },
    decide(cardId, issued) {
      const key = `issue-${cardId}`;
      if (orders.has(key)) return;
      const failed = { status: 'failed', failureCode: 'refused' } as const;
      orders.set(key, issued ? { status: 'issued', ...PROCESSOR, reference: key } : failed);
    },
  };
}
