import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { isCountable } from '../../parties/protocol/answers';
import { openBreakAgain } from '../../process/breaks/operations';
import { mayRepeatLost } from '../../process/lost-orders';
import { progressUnlessLost } from '../../process/lost-record';
import { PartyRefused, PartyStopped, UnreadableAnswer } from '../../process/party-errors';
import { isStopped } from '../../process/switches/switches';
import type { Services } from '../../services';
import { type Apply, apply, hasFallen } from './apply';
import { FORGOTTEN, UNREADABLE } from './breaks';
import { effective } from './conclusion';
import { follow } from './follow';
import type { AnyKind, Given, Order } from './kind';
import { beginStep, type Listed, lock, type Stepping, stepTransaction } from './ordering';
import { type Decision, type PartyWord, refusalOf, type Situation, SYSTEM } from './record';
import { claimName } from './tables/reported-names';

/** State of a transfer after a step, as its workflow needs it. Contains no personal data. */
export interface Progress {
  status: string;
  /** The transfer waits for the party, a person or the time. When false, the workflow ends. */
  open: boolean;
  /** Time of the next step by the workflow's clock, in milliseconds since 1970. Null: only a signal causes a step. */
  lookAt: number | null;
  /** When it got the status, in milliseconds since 1970. Absent in histories of earlier versions. */
  since?: number;
}

/** Rounds of one step. Another round follows when the record changed meanwhile or a new order is due. */
const ROUNDS = 10;

/**
 * The one step of every transfer. Gives the party its outstanding orders, asks for the party's word, and applies the
 * word under the record's lock. Idempotent.
 *
 * A stopped party is asked but receives no orders, also when it is stopped during the step. The step then fails with
 * {@link PartyStopped} and is retried until the party is on again.
 *
 * The order of a disabled tenant waits too, but the step succeeds: `client enable` makes such transfers due
 * (../unordered.ts).
 *
 * A transfer that does not exist was lost by a fail-over. A person is told, and its workflow ends.
 * @throws PartyStopped after everything else is done; PartyAway when the outcome is unknown: retry
 */
export function advance(services: Stepping, kind: AnyKind, id: string): Promise<Progress> {
  return progressUnlessLost(services.database, () => advanceKnown(services, kind, id));
}

async function advanceKnown(services: Stepping, kind: AnyKind, id: string): Promise<Progress> {
  const given = new Set<string>();
  const listed = await listedBy(services, kind);
  let stopped = (await isStopped(services, kind.party)) || (await isHeldBack(services, kind, id));
  for (let round = 0; round < ROUNDS; round += 1) {
    const { seen, held } = await beginStep(services, kind, id, { listed, stopped });
    if (held) return progressOf(services, kind, seen);
    const outcome = stopped ? nothingOrdered() : await giveOrders(services, kind, seen, given);
    stopped ||= outcome.stopped;
    const report = await askForWord(services, kind, seen, outcome, stopped);
    stopped ||= outcome.stopped;
    const after = await applied(services, kind, seen, outcome, { report, listed });
    const areAllGiven = after && ordersOf(kind, after).every(({ key }) => given.has(key));
    if (areAllGiven && !outcome.waits) return progressOf(services, kind, after);
    if (after && stopped) throw new PartyStopped();
  }
  throw new Error(`the ${kind.name} ${id} changed during each of ${ROUNDS} rounds`);
}

/** Chains and transfers that the party created get no orders. */
const isHeldBack = async (
  { database }: Services,
  { party, strangers }: AnyKind,
  id: string,
): Promise<boolean> =>
  party !== 'chain' && strangers === undefined && (await mayRepeatLost(database, party, id));

/**
 * Applies the answer.
 * @returns undefined when the answer may be out of date: the record has changed since the party was asked, or the party
 * has reported the name that this answer brings
 */
function applied(
  services: Stepping,
  kind: AnyKind,
  { transfer: { id, revision, dueBy } }: Situation,
  { partyRef, refused, keep, askedAt }: OrdersOutcome,
  asked: Pick<Apply, 'report' | 'listed'>,
): Promise<Situation | undefined> {
  return stepTransaction(services, async (tx) => {
    const locked = await lock(tx, kind, id, services.now());
    const { transfer } = locked.situation;
    if (transfer.revision !== revision) return undefined;
    for (const each of keep) await each(tx);
    const situation = {
      ...locked.situation,
      transfer: { ...transfer, partyRef: partyRef ?? transfer.partyRef },
    };
    const isStale = transfer.partyRef === null && (await wasReportedBefore(services, tx, kind, partyRef));
    if (hasFallen(situation, asked.report)) logFallenVersion(services, kind, situation, asked.report);
    const given = { ...asked, askedAt, decided: refused, dueSeen: dueBy };
    const after = await apply(tx, kind, { ...locked, situation }, given);
    return isStale ? undefined : after;
  });
}

function logFallenVersion(
  { log, observeUnusable }: Services,
  { party }: AnyKind,
  { transfer: { id, word } }: Situation,
  report: PartyWord | undefined,
): void {
  observeUnusable(party, 'version');
  log.warn(
    { party, id, version: report?.version, known: word?.version },
    'the answer of the party has an older version than the known one; it is dropped',
  );
}

/**
 * Whether the party reported this name before we stored it (race between callback and response). Withdraws the
 * workflow that would look the name up.
 */
async function wasReportedBefore(
  { commands }: Services,
  tx: Tx,
  { strangers, party }: AnyKind,
  partyRef: string | undefined,
): Promise<boolean> {
  if (!strangers || partyRef === undefined || !(await claimName(tx, party, partyRef))) return false;
  await commands.withdraw(tx, strangers.look({ partyRef }).workflowId);
  return true;
}

/**
 * Tells whether another process watches for changes of a transfer: the party's change list or a follower of the
 * party. Such transfers need no polling.
 */
export async function listedBy(services: Services, kind: AnyKind): Promise<Listed> {
  const isListed = (situation: Situation) => !kind.unlisted?.(services, situation);
  const followed = await kind.follower?.followed(services);
  if (followed)
    return (situation) => followed.has(kind.follower?.nameOf(situation) ?? '') && isListed(situation);
  const isRead = 'changes' in services.parties[kind.party] && (await services.isListRead(kind.party));
  return isRead ? isListed : () => false;
}

const ordersOf = (kind: AnyKind, situation: Situation): Order[] => kind.orders(effective(kind, situation));

const progressOf = (
  { productClock }: Pick<Services, 'productClock'>,
  kind: AnyKind,
  situation: Situation,
): Progress => {
  const { status, lookAt, reached, updatedAt } = situation.transfer;
  return {
    status,
    open: lookAt !== null || kind.isOpen(effective(kind, situation)),
    lookAt: lookAt && productClock.toWorkflow(lookAt),
    since: new Date(reached[status] ?? updatedAt).getTime(),
  };
};

/** What the orders and the question to the party brought. */
interface OrdersOutcome {
  partyRef?: string;
  /** When the party was asked, if its answer is complete up to then. */
  askedAt?: Date;
  word?: PartyWord | null;
  refused: Decision[];
  keep: ((tx: Tx) => Promise<void>)[];
  /** The party does not know the transfer, and the order could not be given again because the party is stopped. */
  waits?: boolean;
  /** The party was stopped before one of the orders. That order was not given. */
  stopped: boolean;
}

const nothingOrdered = (): OrdersOutcome => ({ refused: [], keep: [], stopped: false });

async function giveOrders(
  services: Services,
  kind: AnyKind,
  seen: Situation,
  given: Set<string>,
): Promise<OrdersOutcome> {
  const outcome = nothingOrdered();
  for (const order of ordersOf(kind, seen)) {
    const answer = await giveOrder(services, kind, seen, order);
    if (answer === 'stopped') return { ...outcome, stopped: true };
    given.add(order.key);
    note(outcome, answer);
  }
  return outcome;
}

/** Gives one order. Reads the switch before each order, because a party may be stopped during a step. */
async function giveOrder(
  services: Services,
  kind: AnyKind,
  seen: Situation,
  order: Order,
): Promise<Given | Decision | 'stopped'> {
  try {
    if (await isStopped(services, kind.party)) return 'stopped';
    const { word, ...given } = await kind.give(services, seen, order);
    // The party took the order. An unreadable word in this answer is dropped; the step asks for the word again.
    return word === undefined || !isReadable(kind, seen, word) ? given : { word, ...given };
  } catch (error) {
    if (error instanceof PartyStopped) return 'stopped';
    if (error instanceof UnreadableAnswer) await showUnreadable(services, kind, seen);
    if (!(error instanceof PartyRefused)) throw error;
    return refusal(order, error, seen.at);
  }
}

/** Stores a refusal as a decision, because only the answer to the order contains it. */
function refusal({ key }: Order, { code }: PartyRefused, at: Date): Decision {
  const data = { key, code };
  const nothing = { amount: null, currency: null, accountId: null, reason: null };
  return { id: newId('decision'), kind: 'refused', data, ...nothing, decidedBy: SYSTEM, at };
}

function note(outcome: OrdersOutcome, given: Given | Decision): void {
  if ('decidedBy' in given) {
    outcome.refused.push(given);
    return;
  }
  // Only the answer to the last order holds the whole state.
  delete outcome.word;
  if (given.word !== undefined) outcome.word = given.word;
  if (given.partyRef !== undefined) outcome.partyRef = given.partyRef;
  if (given.keep) outcome.keep.push(given.keep);
}

/**
 * Asks for the party's word where no order has brought one. Gives the order again, under the same key, when the party
 * does not know a transfer that it should have.
 *
 * The order is not given again, because it might be executed twice, when:
 * - the party has reported or refused the transfer,
 * - a person has concluded it, or
 * - the transfer is no longer open.
 */
async function askForWord(
  services: Services,
  kind: AnyKind,
  seen: Situation,
  outcome: OrdersOutcome,
  stopped: boolean,
): Promise<PartyWord | undefined> {
  const partyRef = outcome.partyRef ?? seen.transfer.partyRef;
  if (outcome.word === undefined && partyRef !== null && seen.transfer.orderedAt !== null) {
    const asked = { ...seen, transfer: { ...seen.transfer, partyRef } };
    const state = await ask(services, kind, asked);
    // A party that forgot a transfer it had reported tells nothing about the outcome, so `askedAt` stays unset.
    if (state !== 'unknown_to_party' || seen.transfer.word === null) outcome.askedAt = seen.at;
    if (state !== 'unknown_to_party') note(outcome, state);
    else if (seen.transfer.word !== null) await showForgotten(services, seen);
    else if (!outcome.refused.length && mustRepeatOrder(kind, seen)) {
      const order: Order = { key: seen.transfer.id, what: 'open' };
      const answer = stopped ? 'stopped' : await giveOrder(services, kind, seen, order);
      if (answer === 'stopped') Object.assign(outcome, { waits: true, stopped: true });
      else note(outcome, answer);
    }
  }
  return outcome.word ?? undefined;
}

/** Whether the order must be given again. Uses the time of this question, because a deadline may have passed by it. */
function mustRepeatOrder(kind: AnyKind, seen: Situation): boolean {
  const { situation } = follow(kind, effective(kind, { ...seen, askedAt: seen.at }));
  return kind.isOpen(situation) && situation.transfer.word === null && !refusalOf(seen, seen.transfer.id);
}

/** Opens a break, because a person must ask the party. The last word still counts. */
const showForgotten = (
  { database }: Services,
  { transfer: { id, tenantId, partyRef } }: Situation,
): Promise<unknown> =>
  openBreakAgain(database, { tenantId, kind: FORGOTTEN, subject: id, detail: partyRef ?? id });

/** Whether the ledger can book every amount of a word: a known currency, and no more decimals than it has. */
export const isReadable = (
  kind: AnyKind,
  situation: Situation,
  word: PartyWord | null | undefined,
): boolean => !word || kind.amounts(word, situation).every(isCountable);

/** Asks the party. An answer that cannot be read opens a break, and the step is retried. */
async function ask(
  services: Services,
  kind: AnyKind,
  situation: Situation,
): Promise<Given | 'unknown_to_party'> {
  try {
    const answer = await kind.ask(services, situation);
    if (answer !== 'unknown_to_party' && !isReadable(kind, situation, answer.word))
      throw new UnreadableAnswer('an amount has more decimals than its currency, or an unknown currency');
    return answer;
  } catch (error) {
    if (error instanceof UnreadableAnswer) await showUnreadable(services, kind, situation);
    throw error;
  }
}

/** Opens a break so that a person sees that the answer cannot be read. */
function showUnreadable(
  { database, log, observeUnusable }: Services,
  { party }: AnyKind,
  { transfer: { id, tenantId, partyRef } }: Situation,
): Promise<void> {
  observeUnusable(party, 'word');
  log.warn({ party, id }, 'the answer of the party about this transfer cannot be read; it is asked again');
  return openBreakAgain(database, { tenantId, kind: UNREADABLE, subject: id, detail: partyRef ?? id });
}
