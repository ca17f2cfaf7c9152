import type { Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { Services } from '../../services';
import { apply } from './apply';
import { effective } from './conclusion';
import { decisionBy } from './follow';
import { type NewDecision, type PartyWord, subjectOf, type TransferKind } from './kind';
import type { Situation } from './record';
import { lockTransfer } from './store';

/** What it was, and what it has become. */
export interface Decided<Terms, Word> {
  before: Situation<Terms, Word>;
  after: Situation<Terms, Word>;
}

export interface Decide<Terms, Word> {
  id: string;
  /** What a 404 calls it. */
  noun: string;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
  /** The field that is named when the money is not there. */
  field?: string;
  /**
   * Judges it under its lock, by the word that counts.
   * @param heard the same with the party's own word, where a person has concluded another
   * @throws Problem 409, 400
   */
  judge(
    situation: Situation<Terms, Word>,
    heard: Situation<Terms, Word>,
  ): NewDecision[] | Promise<NewDecision[]>;
}

/**
 * A person's decision: rows, what follows from them at once, and a word to the workflow, which does the rest. Whoever calls
 * writes it down in the audit log.
 * @throws Problem 404; what `judge` throws; 409 `insufficient_funds`
 */
export async function decide<Terms, Word extends PartyWord>(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  { id, noun, decidedBy, field, judge }: Decide<Terms, Word>,
): Promise<Decided<Terms, Word>> {
  const at = services.now();
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw notFound(noun);
  const before = locked.situation;
  const judged = await judge(effective(kind, before), before);
  const decided = judged.map((given) => decisionBy(decidedBy, given, at));
  const asked = field === undefined ? {} : { field };
  const after = await apply(tx, kind, locked, { decided, asked });
  await services.commands.append(tx, [kind.process.look(subjectOf(after.transfer))]);
  return { before, after };
}
