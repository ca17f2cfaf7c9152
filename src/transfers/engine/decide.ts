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

/** What it was, and what it has become, by the word that counts. */
export interface Decided<S extends Situation = Situation> {
  before: S;
  after: S;
}

export interface Decide<S extends Situation> {
  id: string;
  /** What a 404 calls it. */
  noun: string;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
  /**
   * Somebody asks for it: refused when the money is not there, naming this field. Absent: it takes what a party's word
   * demands, whatever the balance (decisions part 3).
   */
  asked?: { field?: string };
  /** The party's word, where it is the person who gives it and nobody else is asked. @param decided with what was decided now */
  heard?(decided: S): PartyWord | null;
  /** The party counts its versions anew: the known word holds none off by its version (restored.ts). */
  renumbered?: true;
  /**
   * Judges it under its lock, by the word that counts.
   * @param heard the same with the party's own word, where a person has concluded another
   * @throws Problem 409, 400
   */
  judge(situation: S, heard: S): NewDecision[] | Promise<NewDecision[]>;
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
  { id, noun, decidedBy, asked, heard: wordOf, renumbered, judge }: Decide<Situation<Terms, Word>>,
): Promise<Decided<Situation<Terms, Word>>> {
  const at = services.now();
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw notFound(noun);
  const heard = locked.situation as Situation<Terms, Word>;
  const before = effective(kind, heard);
  const judged = await judge(before, heard);
  const decided = judged.map((given) => decisionBy(decidedBy, given, at));
  const word = wordOf?.({ ...heard, decisions: [...heard.decisions, ...decided] }) ?? undefined;
  const known = renumbered ? { ...locked, situation: unbound(locked.situation) } : locked;
  const after = await apply(tx, kind, known, { decided, heard: word, ...(asked ? { asked } : {}) });
  services.commands.append(tx, [kind.process.look(after.transfer)]);
  return { before, after: effective(kind, after) as Situation<Terms, Word> };
}
