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
  /** The party's word could be read. */
  heard: boolean;
  /** It is older than the one that is known, and was dropped. */
  fell: boolean;
  /** The accounts that it moves now, or left below zero before. */
  accounts: readonly Pick<LedgerAccount, 'id' | 'available' | 'currency'>[];
  /** What nobody has resolved of it yet. */
  open: readonly Break[];
}

/** What of it stands in suspense, a break a currency. */
export const SUSPENSE = 'transfer_suspense';
export const BELOW_ZERO = 'transfer_below_zero';
/** An answer about a transfer that could not be read: it has passed when one can. */
export const UNREADABLE = 'party_word_unreadable';

/** The party does not know what it has told of: it has passed when the party tells of it again. */
export const FORGOTTEN = 'transfer_forgotten_by_party';

/** The party tells of an older state than it has told of: it has passed when it tells of one that is not. */
export const VERSION_FELL = 'party_version_fell';

/** What of a party's answers passes with the next one that is as it should be. */
const OF_ANSWERS = [UNREADABLE, FORGOTTEN, VERSION_FELL];

/** What the engine itself opens and closes. */
const ITS_OWN = ['transfer_impossible', SUSPENSE, BELOW_ZERO];

/** What a person must look at now, and what has passed; the kind's notices stay open until they are resolved. */
export function breaksOf(kind: AnyKind, situation: Situation, seen: Seen): BreaksOf {
  const { transfer, at } = situation;
  return {
    tenantId: transfer.tenantId,
    subject: transfer.id,
    open: seen.open.filter(
      ({ kind: name }) => ITS_OWN.includes(name) || (seen.heard && OF_ANSWERS.includes(name)),
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

/** Lines of the table by which a party took its word back. */
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
