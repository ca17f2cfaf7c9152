import type { Command } from 'commander';
import { show } from '../../../desk/cli/console';
import { deposits } from '../../../desk/queues/transfers';
import type { Decimal } from '../../../kernel/money/money';
import { shownDeposit } from '../../../transfers/deposits/create';
import { type DecidedDeposit, decideDeposit, refundDeposit } from '../../../transfers/deposits/decide';
import { depositView } from '../../../transfers/deposits/view';
import { decimalArgument, reasonArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addQueueListing } from '../desk/queue-listing';
import { addDecisions } from './approve-reject';

export function addDepositCommands(program: Command, context: CommandContext): void {
  const group = program.command('deposit').description('deposits that wait for you, and refunds');
  addQueueListing(group, context, deposits);
  addDecisions(group, context, {
    noun: 'deposit',
    approve: 'credits what was paid, once it is settled',
    reject: 'returns what was paid to the payer; nothing is credited',
    decide: (session, tx, { id, ...given }) => decideDeposit(session, tx, { depositId: id, ...given }),
    tenantOf: ({ transfer }) => transfer.tenantId,
    audited,
    record: async (deposit, session) => depositView(await shownDeposit(session.database, deposit)),
    told: ({ id, decision }) => `${id} is ${decision}; its workflow does it now.`,
  });
  addRefund(group, context);
}

interface RefundOptions {
  reason?: string;
  amount?: Decimal;
  json?: boolean;
}

function addRefund(group: Command, { console, run }: CommandContext): void {
  group
    .command('refund <id>')
    .description('returns a completed deposit to its payer, or part of it')
    .option(
      '--amount <amount>',
      "in the payer's currency; all that is left without it",
      decimalArgument('an amount such as 10.00'),
    )
    .option('--reason <text>', 'kept with the refund', reasonArgument)
    .option('--json', 'print the deposit as JSON')
    .action((id: string, { amount, reason, json }: RefundOptions) =>
      run(async (session) => {
        const given = { depositId: id, amount, reason, requestedBy: session.actor };
        const { after } = await session.change(
          (tx) => refundDeposit(session, tx, given),
          (decided) => ({
            action: 'deposit.refund',
            subject: id,
            tenantId: decided.after.transfer.tenantId,
            before: audited(decided.before),
            after: { ...audited(decided.after), amount: amount?.toFixed() ?? 'all' },
          }),
        );
        show(
          console,
          json,
          depositView(await shownDeposit(session.database, after)),
          `The refund of ${id} is on its way.`,
        );
      }),
    );
}

function audited({ transfer: { status, revision } }: DecidedDeposit['after']): object {
  return { status, revision };
}
