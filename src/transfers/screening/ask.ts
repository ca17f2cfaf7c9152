import { inParallel } from '../../kernel/in-parallel';
import { PartyAway, PartyRefused } from '../../process/party-errors';
import type { Services } from '../../services';
import { PENDING, type Result, SCREENING_CALLBACKS, type Screened } from './record';

/** A question to the party. */
export interface Question {
  screened: Screened;
  /** The known result. Absent: the party was never asked. */
  known?: Result | undefined;
}

/** Calls to the party at the same time. */
const AT_ONCE = 16;

type Asking = Pick<Services, 'parties' | 'publicUrl' | 'log'>;

/**
 * Asks for the present results, several at a time. A screening without an answer stays as it is known, else `pending`, so
 * nothing is cleared without the party's word. Once the party is away, the rest of the round is not asked.
 * @returns in the order of the questions
 */
export async function resultsOf(services: Asking, questions: readonly Question[]): Promise<Result[]> {
  const results = questions.map(({ known }) => known ?? PENDING);
  let isAway = false;
  await inParallel([...questions.entries()], AT_ONCE, async ([place, question]) => {
    if (isAway) return;
    try {
      results[place] = await resultOf(services, question);
    } catch (error) {
      if (error instanceof PartyRefused) return noteRefusal(services, question, error);
      if (!(error instanceof PartyAway)) throw error;
      isAway = true;
    }
  });
  return results;
}

async function resultOf({ parties: { screening }, publicUrl }: Asking, { screened, known }: Question) {
  const word = known && (await screening.outcome(screened.key));
  const result =
    word === undefined || word === 'unknown_to_party'
      ? await screening.screen({ ...screened, callbackUrl: publicUrl() + SCREENING_CALLBACKS })
      : word;
  return known && isOlder(result, known) ? known : result;
}

const isOlder = ({ version: one }: Result, { version: other }: Result): boolean =>
  one !== undefined && other !== undefined && one < other;

/** The party does not screen this, so a person must talk to it. The list of screenings shows that it waits. */
const noteRefusal = ({ log }: Asking, { screened: { key } }: Question, { code }: PartyRefused): void =>
  log.warn({ key, code }, 'the screening party refuses to screen a payment');
