import { anyOf, table } from '../../kernel/db/build';
import { isOutOfReach } from '../../kernel/db/faults';
import type { Services } from '../../services';
import { advance, isReadable, listedBy } from './advance';
import { applyAll } from './apply';
import { effective } from './conclusion';
import { follow } from './follow';
import type { AnyKind, ProcessSubject } from './kind';
import type { PartyWord, Situation } from './record';
import { lockSeveral, situationsOf } from './store';

/**
 * Makes the step of several transfers of one kind that gives no orders ({@link TransferKind.askAll}): asks the party
 * for all together, and applies the words in one transaction. Where that fails, each makes its own step, so a transfer
 * that cannot be applied stops no other. A workflow goes on where the party tells nothing, where a step fails, and where
 * a transfer has a time to look again. Idempotent, as {@link advance} is.
 */
export async function advanceAll(services: Services, kind: AnyKind, ids: readonly string[]): Promise<void> {
  const { log } = services;
  const { done, unreported } = await together(services, kind, ids).catch((error: unknown) => {
    if (isOutOfReach(error)) throw error;
    log.error(
      { kind: kind.name, err: error },
      'transfers are not advanced together; each makes its own step',
    );
    return { done: new Set<string>(), unreported: [] as string[] };
  });
  const left = [...unreported];
  const alone = ids.filter((id) => !done.has(id) && !unreported.includes(id));
  for (const id of alone) if (!(await isAdvanced(services, kind, id))) left.push(id);
  await goOn(services, kind, left);
}

/** The transfers that are done, and those about which the party tells nothing now. The others need a step of their own. */
async function together(services: Services, kind: AnyKind, ids: readonly string[]) {
  const { database, now } = services;
  const seen = await situationsOf(database, kind, now(), ids);
  const ready = seen.filter(isReady(kind));
  const words = await wordsOf(services, kind, ready);
  const [reported, unreported] = [ready.filter(isIn(words)), ready.filter((each) => !isIn(words)(each))];
  return {
    done: await applyTogether(services, kind, reported, words),
    unreported: unreported.map(({ transfer: { id } }) => id),
  };
}

const isIn =
  (words: ReadonlyMap<string, PartyWord>) =>
  ({ transfer: { id } }: Situation) =>
    words.has(id);

/** Wakes the workflows of transfers. */
async function goOn({ database, commands }: Services, kind: AnyKind, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database.transaction(async (tx) => {
    const rows = await tx.run<ProcessSubject>(
      table('transfers').select('id', 'tenantId', 'partyRef').where(anyOf('id', ids)),
    );
    commands.append(tx, rows.map(kind.process.look));
  });
}

/** Whether only the party's word is to be applied. Decisions that were made meanwhile make a step of their own. */
const isReady = (kind: AnyKind) => (seen: Situation) => {
  const { chosen, path, situation } = follow(kind, effective(kind, seen));
  const { partyRef, orderedAt } = seen.transfer;
  const isAsked = partyRef !== null && orderedAt !== null;
  return isAsked && chosen.length + path.length === 0 && kind.orders(situation).length === 0;
};

async function wordsOf(
  services: Services,
  kind: AnyKind,
  all: readonly Situation[],
): Promise<ReadonlyMap<string, PartyWord>> {
  if (all.length === 0 || !kind.askAll) return new Map();
  const words = await kind.askAll(services, all);
  const readable = all.filter((each) => isReadable(kind, each, words.get(each.transfer.id)));
  return new Map(
    readable.flatMap(({ transfer: { id } }) => {
      const word = words.get(id);
      return word === undefined ? [] : [[id, word] as const];
    }),
  );
}

/** @returns the ids of the applied ones. A transfer that has changed since the party was asked is left out */
async function applyTogether(
  services: Services,
  kind: AnyKind,
  asked: readonly Situation[],
  words: ReadonlyMap<string, PartyWord>,
): Promise<ReadonlySet<string>> {
  if (asked.length === 0) return new Set();
  const listed = await listedBy(services, kind);
  const seen = new Map(asked.map((each) => [each.transfer.id, each]));
  return services.database.transaction(async (tx) => {
    const locked = await lockSeveral(tx, kind, [...seen.keys()], services.now());
    const fresh = locked.flatMap((each) => {
      const { id, revision } = each.situation.transfer;
      const before = seen.get(id);
      if (before?.transfer.revision !== revision) return [];
      const { at: askedAt, transfer } = before;
      return [{ locked: each, report: words.get(id), askedAt, listed, dueSeen: transfer.dueBy }];
    });
    const after = await applyAll(tx, kind, fresh);
    const timed = after.map(({ transfer }) => transfer).filter(({ lookAt }) => lookAt !== null);
    services.commands.append(tx, timed.map(kind.process.look));
    return new Set(after.map(({ transfer: { id } }) => id));
  });
}

/** Makes a step of its own. @returns false where it fails, or must be followed by another one at a time */
async function isAdvanced(services: Services, kind: AnyKind, id: string): Promise<boolean> {
  try {
    return (await advance(services, kind, id)).lookAt === null;
  } catch (error) {
    if (isOutOfReach(error)) throw error;
    services.log.warn({ id, err: error }, 'the step of a transfer has failed; its workflow tries again');
    return false;
  }
}
