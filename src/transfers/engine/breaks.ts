import type { LedgerAccount } from '../../kernel/ledger/accounts';
import type { BreaksOf, WantedBreak } from '../../process/breaks/operations';
import type { Break } from '../../process/breaks/record';
import type { Holding } from './books/position';
import type { Followed } from './follow';
import type { AnyKind } from './kind';
import type { Situation } from './record';

interface Seen {
  target: readonly Holding[];
  followed: Followed;
  /** A word was received in this step. */
  isReported: boolean;
  /** The received word has an older version than the known word, and was dropped. */
  fell: boolean;
  /** Accounts that the transfer moves now, or that had a break for being below zero. */
  accounts: readonly Pick<LedgerAccount, 'id' | 'available' | 'currency'>[];
  /** Unresolved breaks of the transfer. */
  open: readonly Break[];
}

/** Money of the transfer in suspense. One break for each currency. */
export const SUSPENSE = 'transfer_suspense';
export const BELOW_ZERO = 'transfer_below_zero';
/** An answer about the transfer cannot be read. Passes with the next readable answer. */
export const UNREADABLE = 'party_word_unreadable';

/** The party no longer knows a transfer that it has reported. Passes with its next word. */
export const FORGOTTEN = 'transfer_forgotten_by_party';

/** The party's version fell below the known one. Passes with a word that is not older. */
export const VERSION_FELL = 'party_version_fell';

/** Breaks about the party's answers. They pass with the next answer that is in order. */
const ANSWER_BREAKS = [UNREADABLE, FORGOTTEN, VERSION_FELL];

/** Breaks that the engine opens and closes by itself. */
const ENGINE_BREAKS = ['transfer_impossible', SUSPENSE, BELOW_ZERO];

/**
 * The breaks that a transfer wants now, and the open ones that may pass. Notices of the kind stay open until a person
 * resolves them.
 */
export function breaksOf(kind: AnyKind, situation: Situation, seen: Seen): BreaksOf {
  const { transfer, at } = situation;
  const passing = [...ENGINE_BREAKS, ...(kind.passed?.(situation) ?? [])];
  return {
    tenantId: transfer.tenantId,
    subject: transfer.id,
    open: seen.open.filter(
      ({ kind: name }) => passing.includes(name) || (seen.isReported && ANSWER_BREAKS.includes(name)),
    ),
    wanted: [
      ...contradiction(transfer.status, seen),
      ...suspense(seen),
      ...belowZero(seen),
      ...(seen.fell ? [{ kind: VERSION_FELL, detail: transfer.partyRef ?? transfer.id }] : []),
    ],
    notices: [...contradictions(seen), ...kind.notices(situation)],
    at,
  };
}

/** A notice for each transition by which the party took back its word. */
function contradictions({ followed }: Seen): WantedBreak[] {
  return followed.path
    .filter(({ contradicts }) => contradicts)
    .map(({ previous, on, situation }) => ({
      kind: 'transfer_contradicted',
      detail: `${previous}, then ${on}, at revision ${situation.transfer.revision}`,
    }));
}

function contradiction(status: string, { followed: { impossible } }: Seen): WantedBreak[] {
  return impossible === null
    ? []
    : [{ kind: 'transfer_impossible', detail: `${status}, and then ${impossible}` }];
}

function suspense({ target }: Seen): WantedBreak[] {
  return target
    .filter(({ component }) => component === 'suspense')
    .map(({ currency, amount }) => ({ kind: SUSPENSE, detail: currency, amount, currency }));
}

const belowZero = ({ accounts }: Seen): WantedBreak[] =>
  accounts
    .filter(({ available }) => available.lt(0))
    .map(({ id, available, currency }) => ({ kind: BELOW_ZERO, detail: id, amount: available, currency }));
