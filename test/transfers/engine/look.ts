import type { Holding } from '../../../src/transfers/engine/books/position';
import { effective } from '../../../src/transfers/engine/conclusion';
import { type Followed, follow, systemDecision, withReport } from '../../../src/transfers/engine/follow';
import type { NewDecision, TransferKind } from '../../../src/transfers/engine/kind';
import type { Decision, PartyWord, Situation, Transfer } from '../../../src/transfers/engine/record';
import { unbound } from '../../../src/transfers/engine/restored';
import { booksOf } from './books';

export const START = new Date('2026-11-21T12:00:00Z');
const MINUTE_MS = 60_000;

/** A new transfer of a client's account, before its order. */
export const begun = <Terms, Word>(
  given: Partial<Transfer<Terms, Word>> & Pick<Transfer<Terms, Word>, 'kind' | 'status' | 'terms'>,
): Situation<Terms, Word> => ({
  transfer: {
    id: 'rec_1',
    tenantId: 'cli_1',
    accountId: 'acc_1',
    referenceId: 'rec_1',
    idempotencyKey: null,
    partyRef: 'rec_1',
    orderedAt: null,
    word: null,
    wordAt: null,
    doubted: null,
    doubtedAt: null,
    parts: [],
    failure: null,
    revision: 0,
    quiet: 0,
    lookAt: null,
    dueBy: null,
    reached: {},
    createdAt: START,
    updatedAt: START,
    ...given,
  },
  decisions: [],
  at: START,
});

/** Events since the last step, and the party's word at this step. */
export interface Brought<Terms, Word> {
  minutes?: number | undefined;
  decided?: readonly Decision[] | undefined;
  word?: Word | undefined;
  /** An operator follows a restored party, so that an older version counts. */
  renumbered?: boolean | undefined;
  /** The party gets no orders now. */
  stopped?: boolean | undefined;
  /** Stands for the kind's `consider`, without a database. */
  consider?:
    | ((now: Situation<Terms, Word>, before: Situation<Terms, Word>) => NewDecision | undefined)
    | undefined;
}

export interface Looked<Terms, Word extends PartyWord>
  extends Pick<Followed<Situation<Terms, Word>>, 'path' | 'impossible'> {
  /** The stored situation. */
  situation: Situation<Terms, Word>;
  /** The situation with the effective word. */
  counting: Situation<Terms, Word>;
  /** The position in the books after the step. */
  readonly books: Holding[];
}

/**
 * Makes one step of a transfer like `apply` and `advance` (src/transfers/engine), without the books. If the order is
 * due, a second step gives it. Parts are named by the party.
 */
export function look<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  before: Situation<Terms, Word>,
  brought: Brought<Terms, Word> = {},
): Looked<Terms, Word> {
  const looked = applied(kind, before, brought);
  if (brought.stopped || !isOrderDue(kind, looked)) return looked;
  const step = applied(kind, looked.situation, { consider: brought.consider });
  const path = [...looked.path, ...step.path];
  if (!isOrderDue(kind, step)) return shown(kind, { ...step, path });
  const transfer = { ...step.situation.transfer, orderedAt: step.situation.at };
  return shown(kind, { ...step, path, situation: { ...step.situation, transfer } });
}

/** Whether the order is due and not given yet. */
const isOrderDue = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  { situation, counting }: Looked<Terms, Word>,
): boolean =>
  situation.transfer.orderedAt === null && kind.orders(counting).some(({ what }) => what === 'open');

/** The part of the step that `apply` does. It gives no order. */
function applied<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  before: Situation<Terms, Word>,
  { minutes = 0, decided = [], word, renumbered = false, consider }: Brought<Terms, Word>,
): Looked<Terms, Word> {
  const at = new Date(before.at.getTime() + minutes * MINUTE_MS);
  const from = renumbered ? unbound(before) : before;
  const known = { ...from, at, decisions: [...before.decisions, ...decided] };
  const heard = word === undefined ? known : underNames(withReport(kind, known, word, at));
  const found = consider?.(effective(kind, heard), effective(kind, known));
  const considered = found ? { ...heard, decisions: [...heard.decisions, systemDecision(found, at)] } : heard;
  const { situation, path, impossible } = follow(kind, effective(kind, considered));
  // A conclusion replaces the party's word, but is not stored as one.
  const kept = { ...situation, transfer: { ...situation.transfer, word: considered.transfer.word } };
  return shown(kind, { situation: kept, path, impossible });
}

function shown<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  { situation, path, impossible }: Pick<Looked<Terms, Word>, 'situation' | 'path' | 'impossible'>,
): Looked<Terms, Word> {
  const counting = effective(kind, situation);
  return {
    situation,
    counting,
    path,
    impossible,
    get books() {
      return booksOf(kind, counting);
    },
  };
}

/** The first step of a new transfer, then the given steps. */
export const looks = <Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  from: Situation<Terms, Word>,
  all: readonly Brought<Terms, Word>[],
): Looked<Terms, Word> =>
  all.reduce((last, brought) => look(kind, last.situation, brought), look(kind, from));

/** Replaces the parts' ids by ids that are equal on every path and differ from the names. */
function underNames<Terms, Word>(situation: Situation<Terms, Word>): Situation<Terms, Word> {
  const { transfer } = situation;
  const parts = transfer.parts.map((part) =>
    part.id === part.name ? part : { id: `part ${part.name}`, name: part.name },
  );
  return { ...situation, transfer: { ...transfer, parts } };
}
