import type { Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { Services } from '../../services';
import { apply } from './apply';
import { effective } from './conclusion';
import { decisionBy } from './follow';
import type { NewDecision, TransferKind } from './kind';
import type { PartyWord, Situation } from './record';
import { unbound } from './restored';
import { lockTransfer } from './store';

/** The situation before and after a decision, with the word that counts. */
export interface Decided<S extends Situation = Situation> {
  before: S;
  after: S;
}

export interface Decide<S extends Situation> {
  id: string;
  /** Noun of the 404. */
  noun: string;
  /** `operator:<name>` for an operator. */
  decidedBy: string;
  /**
   * Set when somebody asks for the movement. It is refused without sufficient balance, and the problem names this
   * field. Absent: the posting is forced, because a party's word demands it (decisions part 3).
   */
  asked?: { field?: string };
  /** The word that the person gives in place of the party. @param decided the situation with the new decisions */
  report?(decided: S): PartyWord | null;
  /** The party numbers its versions anew, so the known version rejects no word (restored.ts). */
  renumbered?: true;
  /**
   * Judges the transfer under its lock, with the word that counts.
   * @param reported the situation with the party's own word, which differs where a person has concluded
   * @throws Problem 409, 400
   */
  judge(situation: S, reported: S): NewDecision[] | Promise<NewDecision[]>;
}

/**
 * Applies a person's decision: stores it, posts what follows at once, and signals the workflow for the rest. The
 * caller writes the audit log.
 * @throws Problem 404; what `judge` throws; 409 `insufficient_funds`
 */
export async function decide<Terms, Word extends PartyWord>(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  { id, noun, decidedBy, asked, report: wordOf, renumbered, judge }: Decide<Situation<Terms, Word>>,
): Promise<Decided<Situation<Terms, Word>>> {
  const at = services.now();
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw notFound(noun);
  const reported = locked.situation as Situation<Terms, Word>;
  const before = effective(kind, reported);
  const judged = await judge(before, reported);
  const decided = judged.map((given) => decisionBy(decidedBy, given, at));
  const word = wordOf?.({ ...reported, decisions: [...reported.decisions, ...decided] }) ?? undefined;
  const known = renumbered ? { ...locked, situation: unbound(locked.situation) } : locked;
  const after = await apply(tx, kind, known, { decided, report: word, ...(asked ? { asked } : {}) });
  services.commands.append(tx, [kind.process.look(after.transfer)]);
  return { before, after: effective(kind, after) as Situation<Terms, Word> };
}
