import type { Tx } from '../db/database';
import { newId } from '../ids';

/**
 * Records whose status changes appear in mixed histories (decisions part 4), by the history's owner. To add a kind, add
 * it here and call {@link noteStatusChanges} where its status changes.
 */
export const STATUS_KINDS = {
  account: [
    'deposit',
    'payout',
    'card_topup',
    'card_withdrawal',
    'iban_payout',
    'iban_credit',
    'chain_deposit',
    'exchange_order',
    'exchange_withdrawal',
  ],
  card: ['card_operation'],
} as const;

export type StatusKind = (typeof STATUS_KINDS)[keyof typeof STATUS_KINDS][number];

export interface NewStatusChange {
  kind: StatusKind;
  recordId: string;
  /** Reference of the record's account transactions. */
  referenceId: string;
  status: string;
  /** Null when the record was created with this status. */
  previousStatus: string | null;
  /** A code of the product. */
  failure: string | null;
}

/**
 * Notes status changes, in order, in the history of an account or a card. Each takes the account's next number under
 * its lock, as an entry does, so that pagination misses no change that commits late. The statement travels with the
 * commit and takes the lock last. Call it after the posting of the same transaction. If that posting locks other
 * accounts, open its book with this account as well, because all locks are taken in one order.
 * @param accountId ledger account: id of an account, a virtual IBAN or a card
 */
export function noteStatusChanges(tx: Tx, accountId: string, changes: readonly NewStatusChange[]): void {
  if (changes.length === 0) return;
  const rows = changes.map((change, index) => ({
    o: index + 1,
    id: newId('statusChange'),
    kind: change.kind,
    record_id: change.recordId,
    reference_id: change.referenceId,
    status: change.status,
    previous_status: change.previousStatus,
    failure: change.failure,
  }));
  tx.defer({
    name: 'status-changes',
    text: NOTE,
    values: [accountId, rows.length, JSON.stringify(rows)],
  });
}

// Raw: numbers, time and rows in one statement, with the owner's rights.
const NOTE = 'select note_status_changes($1, $2::int, $3::json)';

/** A row of {@link NEWEST_CHANGES}. */
export interface StatusChangeRow {
  kind: string;
  id: string;
  at: Date;
  /** BIGINT as text. */
  number: string;
  reference_id: string;
  record_id: string;
  status: string;
  previous_status: string | null;
  failure: string | null;
}

/**
 * SQL of the newest status changes of an account ($1) before a position ($2 time, $3 number), of a kind ($4), not
 * before a time ($5), at most $6. It is one branch of the statement that reads a mixed history; separate statements would
 * see two moments.
 */
export const NEWEST_CHANGES = `
  select kind, id, at, number, reference_id, record_id, status, previous_status, failure
    from status_changes
   where account_id = $1 and (at, number) < ($2::timestamptz, $3::bigint) and ($4::text is null or kind = $4)
     and at >= $5::timestamptz
   order by at desc, number desc limit $6`;
