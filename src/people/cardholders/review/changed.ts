import type { ReviewWord } from '../../../parties/cardholder-review/word';
import { openBreaksOf, syncBreaks } from '../../../process/breaks/operations';
import { UnreadableAnswer } from '../../../process/party-errors';
import type { Services } from '../../../services';
import type { Cardholder } from '../record';
import { findCardholder } from '../store';
import { submissionOrder } from './submission';

/** Break: the reviewer restricts a cardholder that it has passed. The cards stay as they are until a person decides. */
export const REVIEW_CHANGED = 'cardholder_review_changed';

type Deps = Pick<Services, 'database' | 'parties' | 'now' | 'log'>;

/**
 * Asks the reviewer about passed cardholders that its list names, where the reviewer goes on after a review. Opens a
 * break for a restriction, and closes the break when the restriction ends. The cardholder's own status stays.
 * @param keys of submissions
 * @throws PartyAway the states are unknown now
 */
export async function showChangedReviews(services: Deps, keys: readonly string[]): Promise<void> {
  const { cardholderReview } = services.parties;
  if (!('restrictsLater' in cardholderReview)) return;
  for (const key of keys) {
    const id = submissionOrder.keys.exec(key)?.[1];
    const cardholder = id === undefined ? undefined : await findCardholder(services.database, null, id);
    if (cardholder?.status !== 'pass_audit' || submissionOrder.keyOf(cardholder) !== key) continue;
    const word = await readable(services, key, () => cardholderReview.outcome(key));
    if (word && word !== 'unknown_to_party') await show(services, cardholder, word);
  }
}

/** An answer that nobody can read must not stop the list. */
async function readable<Word>(
  { log }: Deps,
  key: string,
  ask: () => Promise<Word>,
): Promise<Word | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    log.warn({ key }, 'the reviewer’s answer about a passed cardholder cannot be read');
    return undefined;
  }
}

async function show(
  { database, now }: Deps,
  { id: subject, tenantId }: Cardholder,
  { status, reason }: ReviewWord,
): Promise<void> {
  const detail = reason === undefined ? status : `${status}: ${reason}`;
  const wanted = status === 'passed' ? [] : [{ kind: REVIEW_CHANGED, detail }];
  await database.transaction(async (tx) => {
    const open = (await openBreaksOf(tx, subject)).filter(({ kind }) => kind === REVIEW_CHANGED);
    await syncBreaks(tx, { tenantId, subject, open, wanted, notices: [], at: now() });
  });
}
