import { type Command, InvalidArgumentError } from 'commander';
import { DECIMAL_TEXT, Decimal, formatAmount } from '../kernel/money/money';
import { type Decided, decideDeposit, refundDeposit } from '../transfers/deposits/review';
import { depositRecord } from '../transfers/deposits/show';
import { depositsToReview } from '../transfers/deposits/store';
import { show, table } from './console';
import { addDecisions, checkedReason, LISTED } from './decision-commands';
import type { Operator } from './operator';

export function addDepositCommands(program: Command, operator: Operator): void {
  const group = program.command('deposit').description('deposits that wait for you, and refunds');
  addList(group, operator);
  addDecisions(group, operator, {
    noun: 'deposit',
    approve: 'credits what was paid, once it is settled',
    reject: 'returns what was paid to the payer; nothing is credited',
    decide: (session, tx, { id, ...given }) => decideDeposit(session, tx, { depositId: id, ...given }),
    audited,
    record: depositRecord,
    told: ({ id }, { decision }) => `${id} is ${decision}; its workflow does it now.`,
  });
  addRefund(group, operator);
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description(`those in manual_review, the longest first; at most ${LISTED}`)
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const waiting = await depositsToReview(database, LISTED);
        const rows = waiting.map((each) => [
          ...[each.id, each.tenantId, each.failure],
          `${formatAmount(each.amount, each.currency)} ${each.currency}`,
          each.paidAmount && each.paidCurrency
            ? `${formatAmount(each.paidAmount, each.paidCurrency)} ${each.paidCurrency}`
            : null,
          ...[each.settledAt ? 'yes' : 'no', each.decision, each.updatedAt.toISOString()],
        ]);
        const columns = ['id', 'client', 'why', 'asked for', 'paid', 'settled', 'decision', 'since'];
        show(console, json, waiting.map(depositRecord), table(columns, rows));
      }),
    );
}

interface Given {
  reason?: string;
  amount?: Decimal;
  json?: boolean;
}

function addRefund(group: Command, { console, run }: Operator): void {
  group
    .command('refund <id>')
    .description('returns a completed deposit to its payer, or part of it')
    .option('--amount <amount>', "in the payer's currency; all that is left without it", checkedAmount)
    .option('--reason <text>', 'kept with the refund', checkedReason)
    .option('--json', 'print the deposit as JSON')
    .action((id: string, { amount, reason, json }: Given) =>
      run(async (session) => {
        const given = { depositId: id, amount, reason, requestedBy: session.actor };
        const { after } = await session.change(
          (tx) => refundDeposit(session, tx, given),
          (decided) => ({
            action: 'deposit.refund',
            subject: id,
            tenantId: decided.after.tenantId,
            before: audited(decided.before),
            after: { ...audited(decided.after), amount: amount?.toFixed() ?? 'all' },
          }),
        );
        show(console, json, depositRecord(after), `The refund of ${id} is on its way.`);
      }),
    );
}

function audited({ status, decision }: Decided['after']): object {
  return { status, decision };
}

function checkedAmount(text: string): Decimal {
  if (!DECIMAL_TEXT.test(text)) throw new InvalidArgumentError('It takes an amount such as 10.00.');
  return new Decimal(text);
}
