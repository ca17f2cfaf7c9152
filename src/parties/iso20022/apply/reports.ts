import { openBreaksOf, syncBreaks, type WantedBreak } from '../../../process/breaks/operations';
import { FILE_BREAKS } from '../breaks';
import type { AccountReport, AccountReports } from '../messages/account-report';
import { FileFault } from '../messages/fault';
import { entryName } from '../names';
import { type BankStatement, insertStatement, lockSeries, recentStatements } from '../store/statements';
import type { Applying } from './context';
import { applyMovement, type Reported } from './movements';

/** Applies notifications. @throws FileFault for an account that is not ours */
export async function applyNotifications(applying: Applying, { reports }: AccountReports): Promise<void> {
  for (const report of reports) {
    const { account } = ownAccount(applying, report);
    await lockSeries(applying.tx, account);
    await applyMovements(applying, report, { account, statementId: null });
  }
}

/**
 * Applies statements, and compares each with its neighbours.
 * @throws FileFault for an account that is not ours, and for a number that its series has already
 */
export async function applyStatements(applying: Applying, { reports }: AccountReports): Promise<void> {
  const { tx, file } = applying;
  for (const report of reports) {
    const { account, currency } = ownAccount(applying, report);
    const { balances, until, number = null } = report;
    if (balances?.closing.currency !== currency) throw new FileFault('currency', 'Bal');
    await lockSeries(tx, account);
    const recent = await recentStatements(tx, account);
    const repeats = recent.some((one) => number === null && one.until.getTime() === until.getTime());
    const statement = repeats
      ? undefined
      : await insertStatement(tx, {
          account,
          currency,
          number,
          year: balances.year,
          opening: balances.opening.amount,
          closing: balances.closing.amount,
          until,
          fileId: file.id,
        });
    if (!statement) throw new FileFault('statement_repeated', String(number ?? ''));
    await applyMovements(applying, report, { account, statementId: statement.id });
    await compareSeries(applying, account);
  }
}

async function applyMovements(
  applying: Applying,
  { movements }: AccountReport,
  reported: Omit<Reported, 'place' | 'names'>,
): Promise<void> {
  const names = new Set(
    movements.flatMap(({ side, reference }) =>
      reference === undefined ? [] : [entryName(reported.account, side, reference)],
    ),
  );
  for (const [index, movement] of movements.entries())
    await applyMovement(applying, movement, { ...reported, names, place: index + 1 });
}

function ownAccount({ services }: Applying, { account, currency, movements }: AccountReport) {
  const ours = services.settings.accounts.find(({ iban }) => iban === account);
  if (!ours) throw new FileFault('account_unknown', '');
  const isOther = (code: string | undefined) => code !== undefined && code !== ours.currency;
  if (isOther(currency) || movements.some((movement) => isOther(movement.currency)))
    throw new FileFault('currency', 'Acct');
  return { account, currency: ours.currency };
}

/** Opens breaks for missing statements and broken balances, and closes those of statements that came late. */
async function compareSeries({ services, tx }: Applying, account: string): Promise<void> {
  const series = inOrder(await recentStatements(tx, account));
  const subject = `bank:${series[0]?.currency ?? ''}`;
  const wanted = series
    .slice(1)
    .flatMap((statement, index) => between(series[index] as BankStatement, statement));
  const kinds: string[] = [FILE_BREAKS.gap, FILE_BREAKS.chain];
  const open = (await openBreaksOf(tx, subject)).filter(({ kind }) => kinds.includes(kind));
  await syncBreaks(tx, { tenantId: null, subject, open, wanted, notices: [], at: services.now() });
}

/** By number within a year, else by time. */
const inOrder = (statements: readonly BankStatement[]): BankStatement[] =>
  [...statements].sort((one, other) =>
    one.year === other.year && one.number !== null && other.number !== null
      ? one.number - other.number
      : one.until.getTime() - other.until.getTime(),
  );

/** Most missing statements that are shown one by one. */
const MAX_SHOWN = 31;

/** The breaks between two known statements that follow one another. */
export function between(before: BankStatement, after: BankStatement): WantedBreak[] {
  const missing = missingBetween(before, after);
  if (missing.length > 0) return missing.map((detail) => ({ kind: FILE_BREAKS.gap, detail }));
  const difference = after.opening.minus(before.closing);
  if (difference.isZero()) return [];
  const detail = `${after.year}/${after.number ?? after.until.toISOString()}`;
  return [{ kind: FILE_BREAKS.chain, detail, amount: difference, currency: after.currency }];
}

/** The missing numbers. A series goes on in a new year, or begins anew with 1. */
function missingBetween(before: BankStatement, after: BankStatement): string[] {
  if (before.number === null || after.number === null) return [];
  const isAnew = after.year > before.year && after.number <= before.number;
  const from = isAnew ? 1 : before.number + 1;
  const count = Math.min(after.number - from, MAX_SHOWN);
  return Array.from({ length: Math.max(count, 0) }, (_, index) => `${after.year}/${from + index}`);
}
