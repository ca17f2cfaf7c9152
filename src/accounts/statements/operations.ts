import { databaseTime } from '../../kernel/db/clock';
import { invalid } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import { assertInBooks } from '../../kernel/ledger/checkpoints';
import { amountOf } from '../../kernel/ledger/entries';
import { Decimal, ZERO } from '../../kernel/money/money';
import { requireReadableAccount } from '../accounts/operations';
import type { ReadableAccount } from '../accounts/services';
import type { Period, Statement, StatementLine, StatementTotal } from './record';
import type { StatementServices } from './services';
import { edgesBefore, type LineRow, linesBetween, type Place, settledUntil } from './store';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 366;

/** @throws Problem 400 for a period that is empty, or longer than a statement may be */
export function assertPeriod({ from, to }: Period): void {
  if (to <= from) throw invalid('to must be after from.', 'to');
  if (to.getTime() - from.getTime() > LONGEST_DAYS * DAY_MS)
    throw invalid(`to must be at most ${LONGEST_DAYS} days after from.`, 'to');
}

/** An account that has statements. */
export interface StatedAccount extends ReadableAccount {
  isCard: boolean;
}

/** An account of any kind that a client has: a master account, a user's, a virtual IBAN, a card. @throws Problem 404 */
export async function requireStatedAccount(
  services: StatementServices,
  reach: string | null,
  id: string,
): Promise<StatedAccount> {
  const card = await services.findCardAccount(services.database, reach, id);
  if (card) return { ...card, isCard: true };
  return { ...(await requireReadableAccount(services, reach, id)), isCard: false };
}

export interface OpenStatement extends Statement {
  /**
   * Reads the lines, oldest first, in portions, so that no statement is in memory as a whole.
   * @returns the totals by type, once every line was read
   * @throws Error when the lines do not lead from the opening to the closing balance
   */
  portions(): AsyncGenerator<StatementLine[], StatementTotal[]>;
}

const PORTION = 1_000;
/** No transaction holds an account for so long, so an entry of an earlier time is committed. */
const SETTLED_AFTER_MS = 10 * 60_000;

/**
 * Opens the statement of an account. `closing` is the balance after the last entry before `to`, and lines end with that
 * entry, whatever is written meanwhile. The opening balance of the next period is the same one.
 */
export async function openStatement(
  services: StatementServices,
  account: StatedAccount,
  { from, to }: Period,
): Promise<OpenStatement> {
  const { database } = services;
  const { id: accountId, currency } = account;
  if (account.isCard) await assertInBooks(database, from, 'from');
  const now = await databaseTime(database);
  const isLongAgo = now.getTime() - to.getTime() > SETTLED_AFTER_MS;
  const settled = isLongAgo ? now : await settledUntil(database, accountId);
  const { before, last } = await edgesBefore(database, accountId, { from, to });
  const opening = before?.balance ?? ZERO;
  const closing = last?.balance ?? ZERO;

  async function* portions(): AsyncGenerator<StatementLine[], StatementTotal[]> {
    const totals = new Map<string, StatementTotal>();
    let after: Place | undefined = { at: from, number: '0' };
    while (last && after) {
      const rows: LineRow[] = await linesBetween(database, account, after, last, PORTION);
      const lines = await linesOf(services, accountId, rows);
      for (const line of lines) addTo(totals, line);
      if (lines.length > 0) yield lines;
      after = rows.length < PORTION ? undefined : rows.at(-1);
    }
    const all = [...totals.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const sum = all.reduce((total, { change }) => total.plus(change), ZERO);
    if (!opening.plus(sum).eq(closing)) throw new Error(`the statement of ${accountId} does not add up`);
    return all;
  }

  return { accountId, currency, from, to, complete: to <= settled, opening, closing, portions };
}

async function linesOf(
  { database, linksOf, remittersOf }: StatementServices,
  accountId: string,
  rows: LineRow[],
): Promise<StatementLine[]> {
  const references = rows.map((row) => row.reference_id);
  if (references.length === 0) return [];
  const [links, remitters] = await Promise.all([
    linksOf(database, references),
    isId('virtualIban', accountId) ? remittersOf(references) : undefined,
  ]);
  return rows.map(({ id, at, type, subtype, reference_id: referenceId, ...row }) => {
    const available = new Decimal(row.available);
    const pending = new Decimal(row.pending);
    return {
      id,
      at,
      type,
      subtype,
      referenceId,
      linkedId: links.get(referenceId),
      remitter: remitters?.get(referenceId),
      amount: amountOf({ available, pending }),
      change: available.plus(pending),
      balance: new Decimal(row.balance),
    };
  });
}

const nameOf = ({ type, subtype }: Pick<StatementLine, 'type' | 'subtype'>): string =>
  `${type}/${subtype ?? ''}`;

function addTo(totals: Map<string, StatementTotal>, { type, subtype, change }: StatementLine): void {
  const name = nameOf({ type, subtype });
  const known = totals.get(name) ?? { type, subtype, count: 0, change: ZERO };
  totals.set(name, { ...known, count: known.count + 1, change: known.change.plus(change) });
}
