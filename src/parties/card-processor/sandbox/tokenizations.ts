import type { Tx } from '../../../kernel/db/database';
import { recordChange } from '../../sandbox/changes';
import type { TokenizationWord } from '../word';
import { scenarioOf } from './scenarios';
import {
  findByReference,
  findTokenization,
  insertTokenization,
  type ProcessorCard,
  type ProcessorTokenization,
} from './store';

export type ToldTokenization = { key: string } & TokenizationWord;

/** Decides on a wallet's request at once. Undefined where the card is unknown. */
export async function takeTokenization(
  tx: Tx,
  { callbackUrl, ...given }: ProcessorTokenization & { callbackUrl: string },
): Promise<ToldTokenization | { refused: string } | undefined> {
  const { key, reference, takenAt } = given;
  const card = await findByReference(tx, reference);
  if (!card) return undefined;
  if (await insertTokenization(tx, given))
    recordChange(tx, { party: 'card-processor', ref: key, callbackUrl }, [{ at: takenAt, quiet: true }]);
  else if ((await findTokenization(tx, { key, reference }))?.wallet !== given.wallet)
    return { refused: 'idempotency_mismatch' };
  return wordOf(key, card);
}

/** Undefined where no request with that key was taken for the card. */
export async function presentTokenization(
  tx: Tx,
  by: Pick<ProcessorTokenization, 'key' | 'reference'>,
): Promise<ToldTokenization | undefined> {
  const [card, known] = await Promise.all([findByReference(tx, by.reference), findTokenization(tx, by)]);
  return card && known && wordOf(by.key, card);
}

/** A tokenization has one version, because it is decided when it is taken. */
function wordOf(key: string, { label }: ProcessorCard): ToldTokenization {
  const { tokenizeRefusal } = scenarioOf(label);
  if (tokenizeRefusal === undefined) return { key, version: 1, status: 'completed' };
  return { key, version: 1, status: 'failed', failureCode: tokenizeRefusal };
}
