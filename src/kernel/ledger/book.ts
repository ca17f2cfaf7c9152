import type { Sql } from '../db/database';
import { compositeArray, type Write } from '../db/writes';
import { type Decimal, ZERO } from '../money/money';
import { type LedgerAccount, lockLedgerAccounts } from './accounts';
import type { Entry, PostedEntry, Posting } from './entries';

/** `refusedBy`: the first account that the posting would have overdrawn. Nothing of it was posted. */
export type PostResult = { ok: true; entries: PostedEntry[] } | { ok: false; refusedBy: string };

/**
 * The accounts of a transaction while it holds their locks: postings are tried here one after the other, each seeing
 * those before it, and written together. What is decided here is checked again by Postgres when it is written.
 */
export interface Book {
  /** The time of everything that is posted here: the database's, and never earlier than an account's last entry. */
  readonly at: Date;
  /** An account with its balances as they stand now. @throws Error when it was not opened with the book */
  account(id: string): LedgerAccount;
  /** Posts whole or not at all: refused when some account would fall below zero by it and it is not forced. */
  post(posting: Posting): PostResult;
  /** What writes all that was posted since the book was opened, once a book; nothing when nothing was. */
  written(): Write | undefined;
}

/** Locks the accounts, in the ledger's one order, and opens a book on them. Internal accounts need no lock. */
export async function openBook(tx: Sql, accountIds: string[]): Promise<Book> {
  const { accounts, now } = await lockLedgerAccounts(tx, accountIds);
  return bookOf(accounts, now);
}

/** A book on accounts that are locked already; a test makes them up. `now` is the database's time. */
export function bookOf(given: LedgerAccount[], now: Date): Book {
  const at = given.reduce((latest, account) => (account.lastAt > latest ? account.lastAt : latest), now);
  const accounts = new Map(given.map((account) => [account.id, { ...account, seen: account.entries }]));
  const rows: ReturnType<typeof entryRow>[] = [];
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
      // Below zero before, and no further by this: what it pays out of what it is given here is marked as forced too, for
      // Postgres looks at each entry alone.
      const below = new Set([...changes.keys()].filter((id) => account(id).available.lt(0)));
      const overdraws = ({ account: id, available }: Entry) => forced || (available.lt(0) && below.has(id));
      const posted = new Map(creditsFirst(entries).map((entry) => [entry, apply(entry, overdraws(entry))]));
      postings += 1;
      return { ok: true, entries: entries.map((entry) => posted.get(entry) as PostedEntry) };
    },
    written() {
      const moved = [...accounts.values()].filter((target) => target.entries > target.seen);
      if (moved.length === 0 && rows.length === 0) return undefined;
      return {
        name: 'ledger',
        call: 'ledger_write($1::ledger_new_balance[], $2::ledger_new_leg[], $3)',
        values: [compositeArray(moved.map(balanceRow)), compositeArray(rows), at],
      };
    },
  };
}

// Field by field: a copy by spreading takes several times as long, and the hot path makes one of every entry.
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

/** An event that changes nothing takes a number of its account but leaves no row. */
function changesSomething(entry: Entry): boolean {
  return !(entry.available.isZero() && entry.pending.isZero() && entry.spent.isZero());
}

/** So that no entry shows an account below zero that the posting as a whole leaves above it. */
function creditsFirst(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => Number(a.available.lt(0)) - Number(b.available.lt(0)));
}

/** What a posting as a whole does to the available of each account. */
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

/** In the order of `ledger_new_leg`. */
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
    entry.available.toFixed(),
    entry.pending.toFixed(),
    entry.spent.toFixed(),
    balance?.available.toFixed(),
    balance?.pending.toFixed(),
    balance?.spent.toFixed(),
    forced,
    entry.listed,
  ];
}

/** In the order of `ledger_new_balance`. */
function balanceRow(account: LedgerAccount & { seen: number }) {
  return [
    account.id,
    account.seen,
    account.entries,
    account.available.toFixed(),
    account.pending.toFixed(),
    account.spent.toFixed(),
  ];
}
