import { raw, table } from '../../kernel/db/build';
import type { Tx } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { lockLedgerAccountsLast } from '../../kernel/ledger/accounts';
import type { Services } from '../../services';
import { book, noteStatuses } from './apply';
import type { TransferKind } from './kind';
import type { PartyWord, Situation, Transfer } from './record';
import { insertTransfer, lockTransfer } from './store';

/** What a new transfer begins with; all else is empty. */
export type Opening<Terms> = Pick<Transfer<Terms>, 'id' | 'tenantId' | 'accountId' | 'status' | 'terms'> &
  Pick<Transfer, 'referenceId'> & {
    /** Absent: the party gives it its name. */
    partyRef?: string;
    /** Of what the party has made, and so knows: no order of ours is ever given. */
    orderedAt?: Date;
    /** Of the call that made it; nobody's where the party did. */
    key?: OperationKey;
    /** The field that is named when the account cannot cover what it holds. */
    field?: string;
    at: Date;
  };

/** Its workflow begins at once; one that has not looked by then was lost. */
const FIRST_LOOK_MS = 60_000;

/**
 * Makes a transfer, with what it holds from the beginning. The account is locked last: it may be the busiest row of the
 * tenant.
 * @returns nothing when the party's name for it is known already
 * @throws Problem 409 `insufficient_funds`, naming the field
 */
export async function openTransfer<Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  opening: Opening<Terms>,
): Promise<Situation<Terms, Word> | undefined> {
  const made = await begin(deps, tx, kind, opening);
  if (!made) return undefined;
  await book(tx, kind, made, opening.field);
  noteStatuses(tx, kind, [{ transfer: made.transfer, previous: null }]);
  return made;
}

/** What a party was found to have: nothing is held of it before the party's word counts. */
export type Found<Terms> = Omit<Opening<Terms>, 'key' | 'field'> & {
  partyRef: string;
  /** Of the call that has found it, if one did: of several that it has found each carries it. */
  idempotencyKey?: string | undefined;
};

/**
 * Makes a transfer of each that is new. Who finds several at once takes locks in the one order that a look at one of them takes
 * too: the party's names, rows of transfers, accounts. Those of accounts are the last thing that is sent, for they may be the
 * busiest rows of their tenants: whatever else the transaction has to do comes before this call.
 * @param meanwhile locks rows of transfers, and nothing else. @param known names that others have
 */
export async function openFound<Terms, Word extends PartyWord>(
  deps: Pick<Services, 'commands'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  found: readonly Found<Terms>[],
  meanwhile: (known: string[]) => Promise<unknown>,
): Promise<void> {
  const made: Transfer[] = [];
  const known: string[] = [];
  for (const opening of [...found].sort(byName)) {
    const begun = await begin(deps, tx, kind, opening);
    if (begun) made.push(begun.transfer);
    else known.push(opening.partyRef);
  }
  await meanwhile(known);
  const accountIds = new Set(made.flatMap(({ accountId }) => accountId ?? []));
  lockLedgerAccountsLast(tx, [...accountIds]);
  for (const transfer of made) noteStatuses(tx, kind, [{ transfer, previous: null }]);
}

const byName = (one: { partyRef: string }, other: { partyRef: string }) =>
  one.partyRef < other.partyRef ? -1 : 1;

type Begun<Terms> = Opening<Terms> & Pick<Found<Terms>, 'idempotencyKey'>;

/** Its row, and the start of its process; its account is not touched yet. */
async function begin<Terms, Word extends PartyWord>(
  { commands }: Pick<Services, 'commands'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  { key, idempotencyKey = key?.idempotencyKey, partyRef, orderedAt, field: _, at, ...given }: Begun<Terms>,
): Promise<Situation<Terms, Word> | undefined> {
  const transfer: Transfer<Terms, Word> = {
    ...given,
    kind: kind.name,
    idempotencyKey: idempotencyKey ?? null,
    partyRef: partyRef ?? null,
    orderedAt: orderedAt ?? null,
    ...{ word: null, wordAt: null, doubted: null, doubtedAt: null, parts: [], failure: null },
    ...{ revision: 0, quiet: 0, lookAt: null, dueBy: new Date(at.getTime() + FIRST_LOOK_MS) },
    ...{ reached: { [given.status]: at.toISOString() }, createdAt: at, updatedAt: at },
  };
  const callerId = key?.callerId ?? null;
  if (!(await insertTransfer(tx, { transfer, party: kind.party, callerId }))) return undefined;
  commands.append(tx, [kind.process.start(transfer)]);
  return { transfer, decisions: [], at };
}

/**
 * Notes the party's name for a transfer, where the answer that told it was lost: only where it has none yet. Whoever has asked
 * for its word meanwhile asks again.
 */
export async function nameTransfer(tx: Tx, id: string, partyRef: string): Promise<void> {
  const named = { partyRef, revision: raw('revision + 1') };
  await tx.run(table('transfers').where({ id }).whereNull('partyRef').update(named));
}

/**
 * Takes the party's name from a transfer that is over, for another one is to have it. Its own is `<name>!<id>` from then on.
 * @param judge of the locked one @throws what `judge` throws
 */
export async function freeName<Terms, Word extends PartyWord>(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  kind: TransferKind<Terms, Word>,
  { id, judge }: { id: string; judge(situation: Situation<Terms, Word>): void },
): Promise<void> {
  const locked = await lockTransfer(tx, kind, id, now());
  if (!locked) throw new Error(`the transfer ${id} is not there`);
  judge(locked.situation as Situation<Terms, Word>);
  const { partyRef } = locked.situation.transfer;
  const freed = { partyRef: `${partyRef}!${id}`, revision: raw('revision + 1') };
  await tx.run(table('transfers').where({ id }).update(freed));
}
