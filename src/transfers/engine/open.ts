import { raw, table } from '../../kernel/db/build';
import { inOrder, type Tx } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { lockLedgerAccountsLast } from '../../kernel/ledger/accounts';
import type { Services } from '../../services';
import type { AnyKind, TransferKind } from './kind';
import { noteStatuses } from './note-statuses';
import { book } from './post';
import type { PartyWord, Situation, Transfer } from './record';
import { insertTransfer, lockTransfer } from './store';

/** The fields that every new transfer starts with. All others are empty. */
type Beginning<Terms> = Pick<Transfer<Terms>, 'id' | 'tenantId' | 'accountId' | 'status' | 'terms'> &
  Pick<Transfer, 'referenceId'> & {
    /** Absent where the party chooses the name. */
    partyRef?: string;
    at: Date;
  };

/** A transfer that a client or a person asks for. */
export type Opening<Terms> = Beginning<Terms> & {
  /** Idempotency key of the call that makes it. */
  key: OperationKey;
  /** Field that the problem names when the balance is insufficient. */
  field?: string;
};

/** Time for the first step. The workflow starts at once, so a later first step means that the start was lost. */
const FIRST_LOOK_MS = 60_000;

/**
 * Makes a transfer and books what it holds at creation. Locks the account last, because it may be the busiest row of
 * the tenant.
 * @throws Problem 409 `insufficient_funds`, naming the field
 */
export async function openTransfer<Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  { key, field, ...opening }: Opening<Terms>,
): Promise<Situation<Terms, Word>> {
  const made = newSituation(kind, { ...opening, idempotencyKey: key.idempotencyKey });
  // The transfer's name is new, so its row travels with the lock of the account.
  const [isNew] = await inOrder([insert(tx, kind, made, key.callerId), begin(deps, tx, kind, made, field)]);
  if (!isNew) throw new Error(`the party knows the ${kind.name} ${opening.id} already`);
  return made;
}

/** A transfer that was found at a party. It holds nothing until the party's word counts. */
export type Found<Terms> = Beginning<Terms> & {
  partyRef: string;
  /** Set for a transfer that the party created. We never give an order for it. */
  orderedAt?: Date;
  /** Idempotency key of the call that found it, if any. All transfers of one call carry the same key. */
  idempotencyKey?: string | undefined;
};

/**
 * As {@link openTransfer}, for a transfer that was found.
 * @returns undefined when another transfer has this name at the party
 */
export async function openUnlessKnown<Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  found: Found<Terms>,
): Promise<Situation<Terms, Word> | undefined> {
  const made = newSituation(kind, found);
  if (!(await insert(tx, kind, made))) return undefined;
  await begin(deps, tx, kind, made);
  return made;
}

async function begin(
  { commands }: Pick<Services, 'commands'>,
  tx: Tx,
  kind: AnyKind,
  made: Situation,
  field?: string,
): Promise<void> {
  const { transfer } = made;
  commands.append(tx, [kind.process.start(transfer)]);
  await book(tx, kind, made, field);
  noteStatuses(tx, kind, [{ transfer, previous: null }]);
}

/**
 * Makes the transfers that are new. Locks follow one order, as in a step: names of the party, rows of transfers,
 * accounts. Account locks are the last statements of the transaction, because they may be the busiest rows of their
 * tenants. The caller does all its other work before this call.
 * @param meanwhile locks rows of transfers, and nothing else; receives the names that are not new
 * @param starting whether a workflow makes the first step; otherwise the caller makes it after the commit
 * @returns the ids of the new transfers
 */
export async function openFound<Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  found: readonly Found<Terms>[],
  meanwhile: (known: string[]) => Promise<unknown>,
  { starting = true }: { starting?: boolean } = {},
): Promise<string[]> {
  const made: Transfer[] = [];
  const known: string[] = [];
  for (const opening of [...found].sort(byName)) {
    const begun = newSituation(kind, opening);
    if (await insert(tx, kind, begun)) made.push(begun.transfer);
    else known.push(opening.partyRef);
  }
  await meanwhile(known);
  if (starting) deps.commands.append(tx, made.map(kind.process.start));
  const accountIds = new Set(made.flatMap(({ accountId }) => accountId ?? []));
  lockLedgerAccountsLast(tx, [...accountIds]);
  noteStatuses(
    tx,
    kind,
    made.map((transfer) => ({ transfer, previous: null })),
  );
  return made.map(({ id }) => id);
}

const byName = (one: { partyRef: string }, other: { partyRef: string }) =>
  one.partyRef < other.partyRef ? -1 : 1;

function newSituation<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  {
    idempotencyKey,
    partyRef,
    orderedAt,
    at,
    ...given
  }: Beginning<Terms> & Pick<Found<Terms>, 'orderedAt' | 'idempotencyKey'>,
): Situation<Terms, Word> {
  const transfer: Transfer<Terms, Word> = {
    ...given,
    kind: kind.name,
    idempotencyKey: idempotencyKey ?? null,
    partyRef: partyRef ?? null,
    orderedAt: orderedAt ?? null,
    word: null,
    wordAt: null,
    doubted: null,
    doubtedAt: null,
    parts: [],
    failure: null,
    revision: 0,
    quiet: 0,
    lookAt: null,
    dueBy: new Date(at.getTime() + FIRST_LOOK_MS),
    reached: { [given.status]: at.toISOString() },
    createdAt: at,
    updatedAt: at,
  };
  return { transfer, decisions: [], at };
}

/** Inserts the row. Does not touch the account. @returns false where another transfer has the name at the party */
const insert = (
  tx: Tx,
  { party }: Pick<AnyKind, 'party'>,
  { transfer }: Situation,
  callerId: string | null = null,
): Promise<boolean> => insertTransfer(tx, { transfer, party, callerId });

/**
 * Stores the party's name of a transfer whose answer was lost, unless it has a name. The new revision makes a
 * concurrent step ask again.
 */
export async function nameTransfer(tx: Tx, id: string, partyRef: string): Promise<void> {
  const named = { partyRef, revision: raw('revision + 1') };
  await tx.run(table('transfers').where({ id }).whereNull('partyRef').update(named));
}

/**
 * Frees the party's name of an ended transfer for another one. The old name becomes `<name>!<id>`.
 * @param judge checks the locked transfer
 * @throws what `judge` throws
 */
export async function freeName<Terms, Word extends PartyWord>(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  { id, judge }: { id: string; judge(situation: Situation<Terms, Word>): void },
): Promise<void> {
  const locked = await lockTransfer(tx, kind, id, now());
  if (!locked) throw new Error(`the transfer ${id} does not exist`);
  judge(locked.situation as Situation<Terms, Word>);
  const { partyRef } = locked.situation.transfer;
  const freed = { partyRef: `${partyRef}!${id}`, revision: raw('revision + 1') };
  await tx.run(table('transfers').where({ id }).update(freed));
}
