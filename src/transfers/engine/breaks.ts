import type { Sql } from '../../kernel/db/database';
import type { Book } from '../../kernel/ledger/book';
import { syncBreaks, type WantedBreak } from '../../process/breaks/operations';
import type { Followed } from './follow';
import type { PartyWord, TransferKind } from './kind';
import type { Holding } from './position';
import type { Situation } from './record';

interface Seen {
  target: readonly Holding[];
  /** What is to be posted, or would be if the transfer were adopted. */
  wanted: readonly Holding[];
  followed: Followed<unknown, unknown>;
  /** Where something was posted. */
  book: Book | undefined;
}

/** What the engine itself opens and closes: nothing else closes one of these. */
export const ENGINE_BREAKS = [
  'transfer_impossible',
  'transfer_suspense',
  'transfer_below_zero',
  'transfer_not_adopted',
] as const;

/** Opens what a person must look at and closes what has passed; the kind's notices stay open until they are resolved. */
export async function breaksOf<Terms, Word extends PartyWord>(
  tx: Sql,
  kind: TransferKind<Terms, Word>,
  situation: Situation<Terms, Word>,
  seen: Seen,
): Promise<void> {
  const { transfer, at } = situation;
  await syncBreaks(tx, {
    tenantId: transfer.tenantId,
    subject: transfer.id,
    // Where nothing is posted nobody has looked at the account: what was seen of it stands.
    own: ENGINE_BREAKS.filter((name) => name !== 'transfer_below_zero' || seen.book !== undefined),
    wanted: [
      ...contradiction(transfer.status, seen),
      ...suspense(seen),
      ...belowZero(seen),
      ...notAdopted(transfer, seen),
    ],
    notices: [...contradictions(seen), ...kind.notices(situation)],
    at,
  });
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
    .map(({ currency, amount }) => ({ kind: 'transfer_suspense', detail: currency, amount, currency }));
}

/** An account that this has left below zero. */
function belowZero({ wanted, book }: Seen): WantedBreak[] {
  if (!book) return [];
  const accounts = new Set(wanted.flatMap(({ account }) => account ?? []));
  return [...accounts]
    .map((id) => book.account(id))
    .filter(({ available }) => available.lt(0))
    .map(({ id, available, currency }) => ({
      kind: 'transfer_below_zero',
      detail: id,
      amount: available,
      currency,
    }));
}

function notAdopted({ adopted }: { adopted: boolean }, { wanted }: Seen): WantedBreak[] {
  if (adopted) return [];
  return wanted.map(({ component, part, currency, amount }) => ({
    kind: 'transfer_not_adopted',
    detail: [component, part].filter(Boolean).join(' '),
    amount,
    currency,
  }));
}
