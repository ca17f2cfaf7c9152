import { inParallel } from '../../kernel/in-parallel';
import { PartyAway, PartyRefused, PartyStopped } from '../../process/party-errors';
import { assertOrders } from '../../process/switches/switches';
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

type Asking = Pick<Services, 'parties' | 'switches' | 'publicUrl' | 'log'>;

/**
 * Asks for the present results, several at a time. A screening without an answer stays as it is known, else `pending`, so
 * nothing is cleared without the party's word. Once the party is away, the rest of the round is not asked. A stopped party
 * gets no new screening, and is asked for the outcomes of known ones.
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
      if (error instanceof PartyStopped) return;
      if (!(error instanceof PartyAway)) throw error;
      isAway = true;
    }
  });
  return results;
}

/** @throws PartyStopped the party does not know the screening and gets no orders now */
async function resultOf(services: Asking, { screened, known }: Question): Promise<Result> {
  const word = known && (await services.parties.screening.outcome(screened.key));
  const isGiven = word !== undefined && word !== 'unknown_to_party';
  const result = isGiven ? word : await orderOf(services, screened);
  return known && isOlder(result, known) ? known : result;
}

async function orderOf(services: Asking, screened: Screened): Promise<Result> {
  const { parties, publicUrl } = services;
  await assertOrders(services, 'screening');
  return parties.screening.screen({ ...screened, callbackUrl: publicUrl() + SCREENING_CALLBACKS });
}

const isOlder = ({ version: one }: Result, { version: other }: Result): boolean =>
  one !== undefined && other !== undefined && one < other;

/** The party does not screen this, so a person must talk to it. The list of screenings shows that it waits. */
const noteRefusal = ({ log }: Asking, { screened: { key } }: Question, { code }: PartyRefused): void =>
  log.warn({ key, code }, 'the screening party refuses to screen a payment');
