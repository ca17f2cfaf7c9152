import { z } from 'zod';
import { orderBook } from '../../sandbox/orders/book';
import { changeAt, momentsOf } from '../../sandbox/orders/moments';
import { screeningBody } from '../protocol';
import type { ScreeningWord } from '../word';
import { screeningScenarioOf } from './scenarios';

export type ScreeningReport = { key: string } & ScreeningWord;

export const screeningBook = orderBook({
  party: 'screening',
  kind: 'screening',
  asked: screeningBody.omit({ callbackUrl: true }).extend({ amount: z.string() }),
  state: z.object({}),
  questionsFail: true,
  faultsOf: ({ address }) => screeningScenarioOf(address),
  momentsOf: ({ address }, at) => momentsOf(screeningScenarioOf(address).later ?? [], {}, at),
  wordAt({ key, address, acceptedAt }, version, at): ScreeningReport {
    const { atOnce = CLEARED, later = [] } = screeningScenarioOf(address);
    const { afterSeconds: _, ...result } = changeAt(later, acceptedAt, at) ?? { afterSeconds: 0, ...atOnce };
    return { key, version, ...result };
  },
});

const CLEARED: Pick<ScreeningWord, 'status' | 'score'> = { status: 'cleared', score: '1' };
