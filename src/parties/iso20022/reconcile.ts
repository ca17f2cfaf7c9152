import type { BankAccount } from '../../kernel/config/bank-files';
import { internalBalance } from '../../kernel/ledger/accounts';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import { type BalanceReading, forgetBalances, noteBalance } from '../../process/reported-balances';
import { FILE_BREAKS } from './breaks';
import type { BankFilesServices } from './services';
import { notStated } from './store/entries';
import { returnsNotBooked, sentNotBooked } from './store/orders';
import { type BankStatement, lastStatements } from './store/statements';

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
    for (const { currency, closing, until } of statements.filter(isOf(settings.accounts))) {
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

/** Whether a statement is of one of these accounts, in the account's currency. */
export const isOf =
  (accounts: readonly BankAccount[]) =>
  ({ account, currency }: Pick<BankStatement, 'account' | 'currency'>): boolean =>
    accounts.some((ours) => ours.iban === account && ours.currency === currency);

const SHOWN = { kind: FILE_BREAKS.difference, under: 'bank-balance:' };

/**
 * Keeps each comparison for the list of settlement, and shows a difference that lasts. Books follow a file within seconds,
 * and a person books what no transfer has moved, such as charges and our own funding. Forgets what is compared no more.
 * @param windowMs how long a difference may last
 */
export async function showDifferences(services: BankFilesServices, windowMs: number): Promise<void> {
  const { database, settings, now } = services;
  const party = settings.serves.includes('bank') ? 'bank' : 'payouts';
  const at = now();
  const compared = (await compareBalances(services)).map(
    (balance) => ({ party, readAt: at, ...balance }) as const,
  );
  for (const reading of compared)
    await database.transaction((tx) => noteBalance(tx, reading, { ...SHOWN, windowMs }));
  await forgetDifferences(services, compared);
}

/** Forgets all comparisons but these. Called without any where no bank is reached by files. */
export const forgetDifferences = (
  { database, now }: Pick<BankFilesServices, 'database' | 'now'>,
  compared: readonly Pick<BalanceReading, 'party' | 'currency'>[] = [],
): Promise<void> =>
  database.transaction((tx) =>
    forgetBalances(tx, { parties: ['payouts', 'bank'], compared, shown: SHOWN, at: now() }),
  );
