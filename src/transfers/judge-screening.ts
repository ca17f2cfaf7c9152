import type { Sql, Tx } from '../kernel/db/database';
import { conflict } from '../kernel/errors';
import { moneyText } from '../kernel/money/money';
import { closeBreaksOf } from '../process/breaks/operations';
import type { Effect } from '../process/desk/decision';
import type { Services } from '../services';
import { CHAIN_DEPOSIT_REFUSED } from './chain-deposits/rules';
import { moveEffects } from './conclude-desk';
import { positionOf } from './engine/books/closed-accounts';
import type { Money } from './engine/books/inflow';
import { balanced, componentsOf, differences } from './engine/books/position';
import { effective } from './engine/conclusion';
import { decide } from './engine/decide';
import { decisionBy, follow } from './engine/follow';
import type { AnyKind, NewDecision, Screenable } from './engine/kind';
import { lockTransfer, readSituation } from './engine/read';
import type { PartyWord, Situation } from './engine/record';
import { findKind } from './kinds';
import { findScreening, noteVerdict } from './screening/operations';
import { SCREENING_WAITS, type Screening, type Verdict } from './screening/record';

/** A transfer of a kind that is screened, with the screening of its present amount. */
export interface ScreenedTransfer {
  kind: AnyKind;
  situation: Situation;
  /** Undefined where the transfer was never screened. */
  screening: Screening | undefined;
}

/** Reads it without a lock. Undefined for an id of no kind that is screened. */
export const readScreened = (sql: Sql, id: string, at: Date): Promise<ScreenedTransfer | undefined> =>
  screenedBy(sql, id, (kind) => readSituation(sql, kind, id, at));

/** Locks it to the end of the transaction. */
export const lockScreened = (tx: Tx, id: string, at: Date): Promise<ScreenedTransfer | undefined> =>
  screenedBy(tx, id, async (kind) => (await lockTransfer(tx, kind, id, at))?.situation);

async function screenedBy(
  sql: Sql,
  id: string,
  read: (kind: AnyKind) => Promise<Situation | undefined>,
): Promise<ScreenedTransfer | undefined> {
  const kind = await findKind(sql, id);
  const found = kind?.screening && (await read(kind));
  if (!kind?.screening || !found) return undefined;
  const situation = effective(kind, found);
  return { kind, situation, screening: await findScreening(sql, kind.screening.keyOf(situation)) };
}

function screenableOf({ kind }: ScreenedTransfer): Screenable<unknown, PartyWord> {
  if (!kind.screening) throw new Error(`${kind.name} is not screened`);
  return kind.screening;
}

/** @throws Problem 409 `invalid_transition` when the screening is not theirs to decide */
async function decisionsOn(
  tx: Tx,
  subject: ScreenedTransfer,
  given: { verdict: Verdict; reason: string | null },
): Promise<NewDecision[]> {
  if (!subject.screening) throw conflict('invalid_transition', 'The transfer was not screened.');
  const result = subject.screening.status;
  return screenableOf(subject).decisions(tx, subject.situation, { ...given, result });
}

/** The amount of the transfer, for approval limits. @throws Problem as {@link judgeScreening} */
export async function weighVerdict(tx: Tx, subject: ScreenedTransfer, verdict: Verdict): Promise<Money> {
  await decisionsOn(tx, subject, { verdict, reason: null });
  return screenableOf(subject).moneyOf(subject.situation);
}

/** Previews a decision by the present rules. Changes nothing. @throws Problem as {@link judgeScreening} */
export async function previewVerdict(tx: Tx, subject: ScreenedTransfer, verdict: Verdict): Promise<Effect[]> {
  const { kind, situation, screening } = subject;
  const made = await decisionsOn(tx, subject, { verdict, reason: null });
  const decided = made.map((each) => decisionBy('', each, situation.at));
  const { situation: then } = follow(kind, { ...situation, decisions: [...situation.decisions, ...decided] });
  const [from, to] = [situation.transfer, then.transfer];
  const { leadsTo, moneyOf } = screenableOf(subject);
  const isLed = leadsTo !== undefined && verdict === 'cleared';
  return [
    { field: 'screening', from: screening?.status ?? null, to: verdict },
    ...(from.status === to.status ? [] : [{ field: 'status', from: from.status, to: to.status }]),
    ...(from.failure === to.failure ? [] : [{ field: 'failure', from: from.failure, to: to.failure }]),
    ...(isLed ? [{ field: leadsTo, from: null, to: moneyText(moneyOf(situation)) }] : []),
    ...moveEffects(differences(booksOf(kind, then), booksOf(kind, situation))),
  ];
}

const booksOf = (kind: AnyKind, situation: Situation) =>
  balanced(positionOf(kind, situation), componentsOf(kind));

/**
 * Ends a screening by people, in place of the party. Posts what follows at once, and signals the workflow for the rest.
 * @param subject read under its lock
 * @throws Problem 409 `invalid_transition` when the screening is not theirs to decide
 */
export async function judgeScreening(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  subject: ScreenedTransfer,
  given: { verdict: Verdict; reason: string | null; decidedBy: string },
): Promise<Situation> {
  const { kind, situation, screening } = subject;
  const { verdict, decidedBy } = given;
  const [{ id }, at] = [situation.transfer, services.now()];
  const made = await decisionsOn(tx, subject, given);
  const { after } = await decide(services, tx, kind, { id, noun: 'transfer', decidedBy, judge: () => made });
  if (screening) await noteVerdict(tx, screening, { verdict, decidedBy, at });
  const kinds = verdict === 'cleared' ? [SCREENING_WAITS, CHAIN_DEPOSIT_REFUSED] : [SCREENING_WAITS];
  await closeBreaksOf(tx, { subject: id, kinds, at });
  return after;
}
