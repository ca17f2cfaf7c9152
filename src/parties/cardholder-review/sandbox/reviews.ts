import { z } from 'zod';
import type { PartyOptions } from '../../sandbox/options';
import { orderBook } from '../../sandbox/orders/book';
import { changeAt, momentsOf } from '../../sandbox/orders/moments';
import type { ReviewWord } from '../word';
import { reviewScenarioOf } from './scenarios';

/** Seconds from an application to its decision, unless the scenario sets another time. */
const DECISION_SECONDS = 1;

export type ReviewReport = { key: string } & ReviewWord;

/** An application under a used key is the same one, because the party stores nothing to compare. */
export const reviewBook = ({ decisionSeconds: usual = DECISION_SECONDS }: PartyOptions) =>
  orderBook({
    party: 'cardholder-review',
    kind: 'application',
    asked: z.object({}),
    state: z.object({ scenario: z.string().nullable() }),
    questionsFail: true,
    faultsOf: ({ scenario }) => reviewScenarioOf(scenario),
    momentsOf: ({ scenario }, at) => momentsOf([decisionOf(scenario, usual)], {}, at),
    wordAt({ key, scenario, acceptedAt }, version, at): ReviewReport {
      const { afterSeconds: _, ...decision } =
        changeAt([decisionOf(scenario, usual)], acceptedAt, at) ?? UNDECIDED;
      return { key, version, ...decision };
    },
  });

type Decision = Pick<ReviewWord, 'status' | 'reason'> & { afterSeconds: number };

const UNDECIDED: Decision = { status: 'processing', afterSeconds: 0 };

/** Unusable data is refused at once. */
function decisionOf(scenario: string | null, usual: number): Decision {
  const { refusal, rejection, decisionSeconds: afterSeconds = usual } = reviewScenarioOf(scenario);
  if (refusal !== undefined) return { status: 'refused', reason: refusal, afterSeconds: 0 };
  if (rejection !== undefined) return { status: 'rejected', reason: rejection, afterSeconds };
  return { status: 'passed', afterSeconds };
}
