import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { isCountable } from '../../parties/protocol/answers';
import { openBreakAgain } from '../../process/breaks/operations';
import { PartyRefused, PartyStopped, UnreadableAnswer } from '../../process/party-errors';
import { isStopped } from '../../process/switches/switches';
import type { Services } from '../../services';
import { type Apply, apply, hasFallen } from './apply';
import { FORGOTTEN, UNREADABLE } from './breaks';
import { effective } from './conclusion';
import { follow } from './follow';
import type { AnyKind, Given, Order } from './kind';
import { begun, type Listed, lock } from './ordering';
import { type Decision, type PartyWord, refusalOf, type Situation, SYSTEM } from './record';
import { claimName } from './tables/told-names';

/** Where a transfer stands after a step, for its workflow: no data, only what it waits for. */
export interface Progress {
  status: string;
  /** It waits for somebody; else its workflow ends. */
  open: boolean;
  /** When it looks again without being told, milliseconds since 1970. */
  lookAt: number | null;
}

/** The party is asked again at once when the record changed meanwhile; a record that never stands still waits its turn. */
const ROUNDS = 10;

/**
 * The one step of every transfer: gives the party what it has not been told, asks for its whole state, and applies it
 * under the record's lock. Done twice, it has been done once. A party that is stopped, be it since the step began, is asked,
 * and told nothing: what it must be told waits, and the step has failed until it is on again. The order of a disabled tenant
 * waits too, and the step has not failed: whoever enables the tenant has it looked at (../unordered.ts).
 * @throws PartyStopped once all else is done; PartyAway nothing is known now: the same again
 */
export async function advance(services: Services, kind: AnyKind, id: string): Promise<Progress> {
  const given = new Set<string>();
  const listed = await listedBy(services, kind);
  let stopped = await isStopped(services, kind.party);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { seen, held } = await begun(services, kind, id, { listed, stopped });
    if (held) return progressOf(kind, seen);
    const told = stopped ? nothingTold() : await tell(services, kind, seen, given);
    stopped ||= told.stopped;
    const heard = await wordOf(services, kind, seen, told, stopped);
    stopped ||= told.stopped;
    const after = await applied(services, kind, seen, told, { heard, listed });
    const isTold = after && ordersOf(kind, after).every(({ key }) => given.has(key));
    if (isTold && !told.waits) return progressOf(kind, after);
    if (after && stopped) throw new PartyStopped();
  }
  throw new Error(`the ${kind.name} ${id} does not stand still`);
}

/** @returns nothing when the record has changed since the party was asked, or was told of: its answer may be older than that */
function applied(
  services: Services,
  kind: AnyKind,
  { transfer: { id, revision, dueBy } }: Situation,
  { partyRef, refused, keep, askedAt }: Told,
  asked: Pick<Apply, 'heard' | 'listed'>,
): Promise<Situation | undefined> {
  return services.database.transaction(async (tx) => {
    const locked = await lock(tx, kind, id, services.now());
    const { transfer } = locked.situation;
    if (transfer.revision !== revision) return undefined;
    for (const each of keep) await each(tx);
    const situation = {
      ...locked.situation,
      transfer: { ...transfer, partyRef: partyRef ?? transfer.partyRef },
    };
    const isStale = transfer.partyRef === null && (await wasTold(services, tx, kind, partyRef));
    if (hasFallen(situation, asked.heard)) tellFallen(services, kind, situation, asked.heard);
    const given = { ...asked, askedAt, decided: refused, dueSeen: dueBy };
    const after = await apply(tx, kind, { ...locked, situation }, given);
    return isStale ? undefined : after;
  });
}

function tellFallen(
  { log, observeUnusable }: Services,
  { party }: AnyKind,
  { transfer: { id, word } }: Situation,
  heard: PartyWord | undefined,
): void {
  observeUnusable(party, 'version');
  log.warn(
    { party, id, version: heard?.version, known: word?.version },
    'the party tells of an older state; it is dropped',
  );
}

/** The party was quicker: it has told of what it names so before the name was known here. */
async function wasTold(
  { commands }: Services,
  tx: Tx,
  { strangers, party }: AnyKind,
  partyRef: string | undefined,
): Promise<boolean> {
  if (!strangers || partyRef === undefined || !(await claimName(tx, party, partyRef))) return false;
  await commands.withdraw(tx, strangers.look({ partyRef }).workflowId);
  return true;
}

/** Whether the party lists what may change of a transfer, or somebody reads it of the party, so that nobody need ask. */
async function listedBy(services: Services, kind: AnyKind): Promise<Listed> {
  const isListed = (situation: Situation) => !kind.unlisted?.(services, situation);
  const followed = await kind.follower?.followed(services);
  if (followed)
    return (situation) => followed.has(kind.follower?.nameOf(situation) ?? '') && isListed(situation);
  const isRead = 'changes' in services.parties[kind.party] && (await services.isListRead(kind.party));
  return isRead ? isListed : () => false;
}

const ordersOf = (kind: AnyKind, situation: Situation): Order[] => kind.orders(effective(kind, situation));

const progressOf = (kind: AnyKind, situation: Situation): Progress => {
  const { status, lookAt } = situation.transfer;
  return {
    status,
    open: lookAt !== null || kind.isOpen(effective(kind, situation)),
    lookAt: lookAt?.getTime() ?? null,
  };
};

/** What giving its orders, and asking for its word, has brought. */
interface Told {
  partyRef?: string;
  /** Nothing that the party knew by then is missing. */
  askedAt?: Date;
  word?: PartyWord | null;
  refused: Decision[];
  keep: ((tx: Tx) => Promise<void>)[];
  /** The party does not know it, and is told nothing now. */
  waits?: boolean;
  /** It was stopped before one of them: that one was not given. */
  stopped: boolean;
}

const nothingTold = (): Told => ({ refused: [], keep: [], stopped: false });

async function tell(services: Services, kind: AnyKind, seen: Situation, given: Set<string>): Promise<Told> {
  const told = nothingTold();
  for (const order of ordersOf(kind, seen)) {
    const answer = await give(services, kind, seen, order);
    if (answer === 'stopped') return { ...told, stopped: true };
    given.add(order.key);
    note(told, answer);
  }
  return told;
}

/** The switch is looked at before each order: a party may be stopped while the step is under way. */
async function give(
  services: Services,
  kind: AnyKind,
  seen: Situation,
  order: Order,
): Promise<Given | Decision | 'stopped'> {
  try {
    if (await isStopped(services, kind.party)) return 'stopped';
    const { word, ...given } = await kind.give(services, seen, order);
    // It was taken: what became of it is asked for, and shown where it cannot be read.
    return word === undefined || !isReadable(kind, seen, word) ? given : { word, ...given };
  } catch (error) {
    if (error instanceof PartyStopped) return 'stopped';
    if (error instanceof UnreadableAnswer) await tellUnreadable(services, kind, seen);
    if (!(error instanceof PartyRefused)) throw error;
    return refusal(order, error, seen.at);
  }
}

/** The party will never do it: a decision, for nothing but its order says so. */
function refusal({ key }: Order, { code }: PartyRefused, at: Date): Decision {
  const data = { key, code };
  const nothing = { amount: null, currency: null, accountId: null, reason: null };
  return { id: newId('decision'), kind: 'refused', data, ...nothing, decidedBy: SYSTEM, at };
}

function note(told: Told, given: Given | Decision): void {
  if ('decidedBy' in given) {
    told.refused.push(given);
    return;
  }
  // Only the answer to the last order is its whole state.
  delete told.word;
  if (given.word !== undefined) told.word = given.word;
  if (given.partyRef !== undefined) told.partyRef = given.partyRef;
  if (given.keep) told.keep.push(given.keep);
}

/**
 * An order of ours that the party does not know was not taken: it is given again under its key, and never has failed. One that
 * the party has told of, or has refused, or that a person has concluded, is never given again: it might be done twice. Nor is
 * one that nobody waits for any more.
 */
async function wordOf(
  services: Services,
  kind: AnyKind,
  seen: Situation,
  told: Told,
  stopped: boolean,
): Promise<PartyWord | undefined> {
  const partyRef = told.partyRef ?? seen.transfer.partyRef;
  if (told.word === undefined && partyRef !== null && seen.transfer.orderedAt !== null) {
    const asked = { ...seen, transfer: { ...seen.transfer, partyRef } };
    const state = await ask(services, kind, asked);
    // One that it has told of before it has forgotten: that says nothing of what became of it.
    if (state !== 'unknown_to_party' || seen.transfer.word === null) told.askedAt = seen.at;
    if (state !== 'unknown_to_party') note(told, state);
    else if (seen.transfer.word !== null) await tellForgotten(services, seen);
    else if (!told.refused.length && isToBeTaken(kind, seen)) {
      const order: Order = { key: seen.transfer.id, what: 'open' };
      const answer = stopped ? 'stopped' : await give(services, kind, seen, order);
      if (answer === 'stopped') Object.assign(told, { waits: true, stopped: true });
      else note(told, answer);
    }
  }
  return told.word ?? undefined;
}

/** Asked for by now, for its time may have run out with that answer. */
function isToBeTaken(kind: AnyKind, seen: Situation): boolean {
  const { situation } = follow(kind, effective(kind, { ...seen, askedAt: seen.at }));
  return kind.isOpen(situation) && situation.transfer.word === null && !refusalOf(seen, seen.transfer.id);
}

/** What the party has said of it stands; a person must ask. */
const tellForgotten = (
  { database }: Services,
  { transfer: { id, tenantId, partyRef } }: Situation,
): Promise<unknown> =>
  openBreakAgain(database, { tenantId, kind: FORGOTTEN, subject: id, detail: partyRef ?? id });

/** Whatever the adapter: nothing is booked that has more decimals than its currency, or none that we know. */
const isReadable = (kind: AnyKind, situation: Situation, word: PartyWord | null | undefined): boolean =>
  !word || kind.amounts(word, situation).every(isCountable);

/** An answer that cannot be read is shown to a person, and asked for again. */
async function ask(
  services: Services,
  kind: AnyKind,
  situation: Situation,
): Promise<Given | 'unknown_to_party'> {
  try {
    const answer = await kind.ask(services, situation);
    if (answer !== 'unknown_to_party' && !isReadable(kind, situation, answer.word))
      throw new UnreadableAnswer('the party tells of an amount that its currency has not');
    return answer;
  } catch (error) {
    if (error instanceof UnreadableAnswer) await tellUnreadable(services, kind, situation);
    throw error;
  }
}

/** A person must see what the party says. */
function tellUnreadable(
  { database, log, observeUnusable }: Services,
  { party }: AnyKind,
  { transfer: { id, tenantId, partyRef } }: Situation,
): Promise<void> {
  observeUnusable(party, 'word');
  log.warn({ party, id }, 'what the party says of it cannot be read; it is asked again');
  return openBreakAgain(database, { tenantId, kind: UNREADABLE, subject: id, detail: partyRef ?? id });
}
