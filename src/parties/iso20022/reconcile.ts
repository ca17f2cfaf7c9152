import { internalBalance } from '../../kernel/ledger/accounts';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import { openBreaksOf, syncBreaks } from '../../process/breaks/operations';
import { FILE_BREAKS } from './breaks';
import type { BankFilesServices } from './services';
import { notStated } from './store/entries';
import { returnsNotBooked, sentNotBooked } from './store/orders';
import { forgetDifference, lastStatements, noteDifference } from './store/statements';

/** Our money at the bank in one currency. */
export interface ComparedBalance {
  currency: string;
  /** The closing balance of the last statement, with all later movements. */
  reported: Decimal;
  /** Our money at the bank by our books. */
  booked: Decimal;
}

/**
 * Compares the last statement of each account with our books. A single account of the bank stands behind both parties, so
 * their internal accounts count together. Movements that the statement cannot have yet are added to it.
 */
export async function compareBalances({
  database,
  settings,
}: Pick<BankFilesServices, 'database' | 'settings'>): Promise<ComparedBalance[]> {
  // A single snapshot, so that a movement between two statements is in all sums or in none.
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    const [statements, moved, sent, returned] = [
      await lastStatements(tx),
      await notStated(tx),
      await sentNotBooked(tx),
      await returnsNotBooked(tx),
    ];
    const compared: ComparedBalance[] = [];
    for (const { account, currency, closing } of statements) {
      if (!settings.accounts.some(({ iban }) => iban === account)) continue;
      const of = (sums: readonly { currency: string; amount: Decimal }[]) =>
        sums.find((sum) => sum.currency === currency)?.amount ?? ZERO;
      const reported = closing.plus(of(moved)).minus(of(sent)).plus(of(returned));
      let booked = ZERO;
      for (const party of settings.serves)
        booked = booked.minus(await internalBalance(tx, PARTY_ACCOUNTS[party], currency));
      compared.push({ currency, reported, booked });
    }
    return compared;
  });
}

/**
 * Opens a break for a difference that lasts, and closes it when it is gone. Books follow a file within seconds, and a
 * person books what no transfer has moved, such as charges and our own funding.
 * @param limitMs how long a difference may last
 */
export async function showDifferences(services: BankFilesServices, limitMs: number): Promise<void> {
  const { database, now } = services;
  for (const { currency, reported, booked } of await compareBalances(services)) {
    const at = now();
    const difference = reported.minus(booked);
    const subject = `bank-balance:${currency}`;
    await database.transaction(async (tx) => {
      const open = (await openBreaksOf(tx, subject)).filter(({ kind }) => kind === FILE_BREAKS.difference);
      let lasts = false;
      if (difference.isZero()) await forgetDifference(tx, currency);
      else {
        const since = await noteDifference(tx, { currency, difference, since: at });
        lasts = at.getTime() - since.getTime() >= limitMs;
      }
      const kind = FILE_BREAKS.difference;
      const wanted = lasts ? [{ kind, detail: currency, amount: difference, currency }] : [];
      await syncBreaks(tx, { tenantId: null, subject, open, wanted, notices: [], at });
    });
  }
}
