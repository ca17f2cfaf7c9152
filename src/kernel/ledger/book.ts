import type { Sql } from '../db/database';
import { compositeArray, type Write } from '../db/writes';
import { isMovedCounted, publishMoved } from '../metrics/committed';
import type { MovedAmount } from '../metrics/observers';
import { type Decimal, ZERO } from '../money/money';
import { type LedgerAccount, lockLedgerAccounts } from './accounts';
import type { Entry, PostedEntry, Posting } from './entries';

/** `refusedBy` is the first account that the posting would overdraw. A refused posting changes nothing. */
export type PostResult = { ok: true; entries: PostedEntry[] } | { ok: false; refusedBy: string };

/**
 * The accounts of a transaction that holds their locks. Postings are tried in memory one after the other, each on the
 * balances that the one before left, and written together. Postgres checks them again when they are written.
 */
export interface Book {
  /** Time of all postings in the book, by the database's clock. Never earlier than an account's last entry. */
  readonly at: Date;
  /** An account with its present balances. @throws Error when the book was opened without the account */
  account(id: string): LedgerAccount;
  /** Posts all entries or none. Refused when an account would fall below zero and the posting is not forced. */
  post(posting: Posting): PostResult;
  /** The write of all postings since the book was opened, undefined without postings. Call it once. */
  written(): Write | undefined;
}

/** Locks the accounts in the ledger's one order and opens a book on them. Internal accounts need no lock. */
export async function openBook(tx: Sql, accountIds: string[]): Promise<Book> {
  const { accounts, now } = await lockLedgerAccounts(tx, accountIds);
  return bookOf(accounts, now);
}

/** Opens a book on accounts that are already locked; tests pass accounts of their own. `now` is the database's time. */
export function bookOf(given: LedgerAccount[], now: Date): Book {
  const at = given.reduce((latest, account) => (account.lastAt > latest ? account.lastAt : latest), now);
  const accounts = new Map(given.map((account) => [account.id, { ...account, seen: account.entries }]));
  const rows: ReturnType<typeof entryRow>[] = [];
  const moved: MovedAmount[] | undefined = isMovedCounted() ? [] : undefined;
  let postings = 0;

  function account(id: string): LedgerAccount & { seen: number } {
    const found = accounts.get(id);
    if (!found) throw new Error(`the book was opened without ${id}`);
    return found;
  }

  function apply(entry: Entry, forced: boolean): PostedEntry {
    const posted = postedEntry(entry, at);
    if (!isInternal(entry)) {
      const target = account(entry.account);
      target.available = target.available.plus(entry.available);
      target.pending = target.pending.plus(entry.pending);
      target.spent = target.spent.plus(entry.spent);
      target.entries += 1;
      posted.number = target.entries;
      posted.balance = { available: target.available, pending: target.pending, spent: target.spent };
      if (moved && isTransaction(entry)) moved.push(movedBy(entry, target.currency));
    }
    if (changesSomething(entry)) rows.push(entryRow(posted, postings, currencyOf(entry), forced));
    return posted;
  }

  function currencyOf(entry: Entry): string {
    return isInternal(entry) ? (entry.account.split(':')[1] ?? '') : account(entry.account).currency;
  }

  return {
    at,
    account,
    post({ entries, forced = false }) {
      const changes = changesOf(entries);
      const refusedBy = forced ? undefined : firstOverdrawn(changes, account);
      if (refusedBy !== undefined) return { ok: false, refusedBy };
      // An account may be below zero before a posting that does not lower it. Entries that take from it are then marked
      // as forced, because Postgres checks each entry alone.
      const below = new Set([...changes.keys()].filter((id) => account(id).available.lt(0)));
      const overdraws = ({ account: id, available }: Entry) => forced || (available.lt(0) && below.has(id));
      const posted = new Map(creditsFirst(entries).map((entry) => [entry, apply(entry, overdraws(entry))]));
      postings += 1;
      return { ok: true, entries: entries.map((entry) => posted.get(entry) as PostedEntry) };
    },
    written() {
      const changed = [...accounts.values()].filter((target) => target.entries > target.seen);
      if (changed.length === 0 && rows.length === 0) return undefined;
      return {
        name: 'ledger',
        call: 'ledger_write($1::ledger_new_balance[], $2::ledger_new_leg[], $3)',
        values: [compositeArray(changed.map(balanceRow)), compositeArray(rows), at],
        committed: moved && moved.length > 0 ? () => publishMoved(moved) : undefined,
      };
    },
  };
}

// Field by field, because spreading takes several times as long and the hot path copies every entry.
function postedEntry(entry: Entry, at: Date): PostedEntry {
  return {
    account: entry.account,
    type: entry.type,
    subtype: entry.subtype,
    reference: entry.reference,
    id: entry.id,
    available: entry.available,
    pending: entry.pending,
    spent: entry.spent,
    listed: entry.listed,
    at,
    number: undefined,
    balance: undefined,
  };
}

function isInternal(entry: Entry): boolean {
  return entry.account.includes(':');
}

/** Whether the entry gets a row. An event that changes no balance only takes a number of its account. */
function changesSomething(entry: Entry): boolean {
  return !(entry.available.isZero() && entry.pending.isZero() && entry.spent.isZero());
}

/** Whether the entry is a transaction of an account or a card. Holds and buffers are none: they have no public id. */
const isTransaction = (entry: Entry): boolean => entry.id !== undefined && changesSomething(entry);

function movedBy({ type, subtype, available, pending, spent }: Entry, currency: string): MovedAmount {
  const amount = [available, pending].find((each) => !each.isZero()) ?? spent;
  return { kind: subtype === undefined ? type : `${type}/${subtype}`, currency, amount: amount.abs() };
}

/**
 * Sorts credits first, so that no entry shows a negative balance when the posting as a whole leaves the account
 * positive.
 */
function creditsFirst(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => Number(a.available.lt(0)) - Number(b.available.lt(0)));
}

/** The posting's total change of `available` by account. */
function changesOf(entries: Entry[]): Map<string, Decimal> {
  const changes = new Map<string, Decimal>();
  for (const entry of entries) {
    if (isInternal(entry)) continue;
    changes.set(entry.account, (changes.get(entry.account) ?? ZERO).plus(entry.available));
  }
  return changes;
}

function firstOverdrawn(
  changes: Map<string, Decimal>,
  account: (id: string) => LedgerAccount,
): string | undefined {
  for (const [id, change] of changes) {
    if (change.lt(0) && account(id).available.plus(change).lt(0)) return id;
  }
  return undefined;
}

/** Columns in the order of `ledger_new_leg`. */
function entryRow(entry: PostedEntry, posting: number, currency: string, forced: boolean) {
  const { balance } = entry;
  return [
    posting,
    entry.account,
    currency,
    entry.number,
    entry.id,
    entry.type,
    entry.subtype,
    entry.reference,
    entry.available,
    entry.pending,
    entry.spent,
    balance?.available,
    balance?.pending,
    balance?.spent,
    forced,
    entry.listed,
  ];
}

/** Columns in the order of `ledger_new_balance`. */
function balanceRow(account: LedgerAccount & { seen: number }) {
  return [account.id, account.seen, account.entries, account.available, account.pending, account.spent];
}
