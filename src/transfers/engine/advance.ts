import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { openBreak, openBreakAgain } from '../../process/breaks/operations';
import { OutcomeUnknown, PartyRefused } from '../../process/party-errors';
import type { Services } from '../../services';
import { apply, isOrdered } from './apply';
import { UNREADABLE } from './breaks';
import { effective } from './conclusion';
import { follow } from './follow';
import type { Given, Order, PartyWord, TransferKind } from './kind';
import { type Decision, type Situation, SYSTEM } from './record';
import { type Locked, lockTransfer, readSituation } from './store';

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
 * under the record's lock. Done twice, it has been done once.
 * @throws PartyAway nothing is known now: the same again
 */
export async function advance<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  id: string,
): Promise<Progress> {
  const given = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = await begun(services, kind, id);
    const told = await tell(services, kind, seen, given);
    const heard = await wordOf(services, kind, seen, told);
    const after = await applied(services, kind, seen, told, heard);
    if (after && ordersOf(kind, after).every(({ key }) => given.has(key))) return progressOf(kind, after);
  }
  throw new Error(`the ${kind.name} ${id} does not stand still`);
}

/** @returns nothing when the record has changed since the party was asked: its answer may be older than what is known */
function applied<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  { transfer: { id, revision } }: Situation<Terms, Word>,
  { partyRef, refused, keep }: Told<Word>,
  heard: Word | undefined,
): Promise<Situation<Terms, Word> | undefined> {
  return services.database.transaction(async (tx) => {
    const locked = await lock(tx, kind, id, services.now());
    const { transfer } = locked.situation;
    if (transfer.revision !== revision) return undefined;
    for (const each of keep) await each(tx);
    const situation = {
      ...locked.situation,
      transfer: { ...transfer, partyRef: partyRef ?? transfer.partyRef },
    };
    return apply(
      tx,
      kind,
      { ...locked, situation },
      { heard, decided: refused, listed: listedBy(services, kind) },
    );
  });
}

/** Whether the party lists what may change of a transfer, so that nobody need ask. */
const listedBy =
  <Terms, Word extends PartyWord>(services: Services, kind: TransferKind<Terms, Word>) =>
  (situation: Situation<unknown, unknown>): boolean =>
    'changes' in services.parties[kind.party] &&
    !kind.unlisted?.(services, situation as Situation<Terms, Word>);

const ordersOf = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  situation: Situation<Terms, Word>,
): Order[] => kind.orders(effective(kind, situation));

/**
 * What time and decisions alone lead to comes first, and that it may have reached the party: that is committed before the
 * party is told for the first time.
 */
async function begun<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  id: string,
): Promise<Situation<Terms, Word>> {
  const seen = await readSituation(services.database, kind, id, services.now());
  if (!seen) throw new Error(`there is no ${kind.name} ${id}`);
  const { chosen, path, situation } = follow(kind, effective(kind, seen));
  const unordered = situation.transfer.orderedAt === null && isOrdered(kind, situation);
  if (chosen.length + path.length === 0 && !unordered) return seen;
  return services.database.transaction(async (tx) =>
    apply(tx, kind, await lock(tx, kind, id, services.now()), { listed: listedBy(services, kind) }),
  );
}

/** @throws Error when there is none: ids come from commands that were committed with their record */
async function lock<Terms, Word extends PartyWord>(
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  id: string,
  at: Date,
): Promise<Locked<Terms, Word>> {
  const locked = await lockTransfer(tx, kind, id, at);
  if (!locked) throw new Error(`there is no ${kind.name} ${id}`);
  return locked;
}

const progressOf = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  situation: Situation<Terms, Word>,
): Progress => {
  const { status, lookAt } = situation.transfer;
  return {
    status,
    open: lookAt !== null || kind.isOpen(effective(kind, situation)),
    lookAt: lookAt?.getTime() ?? null,
  };
};

/** What giving its orders has brought. */
interface Told<Word> {
  partyRef?: string;
  word?: Word | null;
  refused: Decision[];
  keep: ((tx: Tx) => Promise<void>)[];
}

async function tell<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  seen: Situation<Terms, Word>,
  given: Set<string>,
): Promise<Told<Word>> {
  const told: Told<Word> = { refused: [], keep: [] };
  for (const order of ordersOf(kind, seen)) {
    given.add(order.key);
    note(told, await give(services, kind, seen, order));
  }
  return told;
}

async function give<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  seen: Situation<Terms, Word>,
  order: Order,
): Promise<Given<Word> | Decision> {
  try {
    return await kind.give(services, seen, order);
  } catch (error) {
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

function note<Word>(told: Told<Word>, given: Given<Word> | Decision): void {
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
async function wordOf<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  seen: Situation<Terms, Word>,
  told: Told<Word>,
): Promise<Word | undefined> {
  const partyRef = told.partyRef ?? seen.transfer.partyRef;
  if (told.word === undefined && partyRef !== null && seen.transfer.orderedAt !== null) {
    const asked = { ...seen, transfer: { ...seen.transfer, partyRef } };
    const state = await ask(services, kind, asked);
    if (state !== 'unknown_to_party') note(told, state);
    else if (seen.transfer.word !== null) await tellForgotten(services, seen);
    else if (!told.refused.length && isToBeTaken(kind, seen))
      note(told, await give(services, kind, seen, { key: seen.transfer.id, what: 'open' }));
  }
  return told.word ?? undefined;
}

const isToBeTaken = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  seen: Situation<Terms, Word>,
): boolean =>
  kind.isOpen(effective(kind, seen)) &&
  effective(kind, seen).transfer.word === null &&
  !seen.decisions.some(({ kind: name, data }) => name === 'refused' && data['key'] === seen.transfer.id);

/** What the party has said of it stands; a person must ask. */
const tellForgotten = (
  { database }: Services,
  { transfer: { id, tenantId, partyRef } }: Situation,
): Promise<unknown> =>
  openBreak(database, { tenantId, kind: 'transfer_forgotten_by_party', subject: id, detail: partyRef ?? id });

/** An answer that cannot be read is shown to a person, and asked for again. */
async function ask<Terms, Word extends PartyWord>(
  services: Services,
  kind: TransferKind<Terms, Word>,
  situation: Situation<Terms, Word>,
): Promise<Given<Word> | 'unknown_to_party'> {
  try {
    return await kind.ask(services, situation);
  } catch (error) {
    const { id, tenantId, partyRef } = situation.transfer;
    if (error instanceof OutcomeUnknown)
      await openBreakAgain(services.database, {
        ...{ tenantId, kind: UNREADABLE, subject: id, detail: partyRef ?? id },
      });
    throw error;
  }
}
