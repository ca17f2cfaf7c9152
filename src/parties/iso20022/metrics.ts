import type { BankAccount } from '../../kernel/config/bank-files';
import { sample } from '../../kernel/metrics/definitions';
import type { Reading } from '../../kernel/metrics/readings';
import { timeOnBankDays } from './bank-days';
import { isOf } from './reconcile';
import { countRefused, unansweredFiles } from './store/files';
import { lastStatements } from './store/statements';

const DAY_MS = 86_400_000;

export interface BankFilesShown {
  now(): Date;
  /** Our accounts. An account that is gone from the settings shows no age. */
  bankAccounts: readonly BankAccount[];
}

/** The exchange of files with a bank: silence, missing statements and refused files. Ages count bank days alone. */
export const bankFilesReading = ({ now, bankAccounts }: BankFilesShown): Reading => ({
  name: 'bank_files',
  gauges: ['bank_file_unanswered_seconds', 'bank_statement_age_seconds', 'bank_files_refused'],
  async read(sql) {
    const at = now();
    const ago = (ms: number) => new Date(at.getTime() - ms);
    const seconds = (since: Date) => timeOnBankDays(since, at) / 1_000;
    const [oldest] = await unansweredFiles(sql, 1);
    const statements = (await lastStatements(sql)).filter(isOf(bankAccounts));
    return [
      sample('bank_file_unanswered_seconds', {}, oldest?.placedAt ? seconds(oldest.placedAt) : 0),
      ...statements.map(({ currency, until }) =>
        sample('bank_statement_age_seconds', { currency }, seconds(until)),
      ),
      sample('bank_files_refused', {}, await countRefused(sql, ago(DAY_MS))),
    ];
  },
});
