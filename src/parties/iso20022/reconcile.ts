import { internalBalance } from '../../kernel/ledger/accounts';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import { noteBalance } from '../../process/reported-balances';
import { FILE_BREAKS } from './breaks';
import type { BankFilesServices } from './services';
import { notStated } from './store/entries';
import { returnsNotBooked, sentNotBooked } from './store/orders';
import { lastStatements } from './store/statements';

/** Our money at the bank in one currency. */
export interface ComparedBalance {
  currency: string;
  /** The closing balance of the last statement, with all later movements. */
  reported: Decimal;
  /** The end of that statement. */
  asOf: Date;
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
    for (const { account, currency, closing, until } of statements) {
      if (!settings.accounts.some(({ iban }) => iban === account)) continue;
      const of = (sums: readonly { currency: string; amount: Decimal }[]) =>
        sums.find((sum) => sum.currency === currency)?.amount ?? ZERO;
      const reported = closing.plus(of(moved)).minus(of(sent)).plus(of(returned));
      let booked = ZERO;
      for (const party of settings.serves)
        booked = booked.minus(await internalBalance(tx, PARTY_ACCOUNTS[party], currency));
      compared.push({ currency, reported, asOf: until, booked });
    }
    return compared;
  });
}

/**
 * Keeps each comparison for the list of settlement, and shows a difference that lasts. Books follow a file within seconds,
 * and a person books what no transfer has moved, such as charges and our own funding.
 * @param windowMs how long a difference may last
 */
export async function showDifferences(services: BankFilesServices, windowMs: number): Promise<void> {
  const { database, settings, now } = services;
  const party = settings.serves.includes('bank') ? 'bank' : 'payouts';
  for (const { currency, ...compared } of await compareBalances(services)) {
    const shown = { kind: FILE_BREAKS.difference, subject: `bank-balance:${currency}`, windowMs };
    const reading = { party, currency, readAt: now(), ...compared } as const;
    await database.transaction((tx) => noteBalance(tx, reading, shown));
  }
}
