import type { Command } from 'commander';
import type { Decimal } from '../../../../kernel/money/money';
import { decideOrAsk } from '../../../approvals/operations';
import { decimalArgument, reasonArgument, textArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';
import { tellOutcome } from './approvals';

/** Corrections by hand, against the outside world: up to the limit at once, above it another operator approves. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const group = groupOf(program, 'account', 'accounts of tenants and their users');
  addCorrection(group, context, 'deposit', 'credits an account by hand');
  addCorrection(group, context, 'withdraw', 'debits an account by hand');
  addOfframp(group, context);
}

function addCorrection(
  group: Command,
  { console, run }: CommandContext,
  verb: 'deposit' | 'withdraw',
  description: string,
): void {
  group
    .command(`${verb} <id>`)
    .description(`${description}; above the limit another operator must approve it`)
    .requiredOption(
      '--amount <amount>',
      'in its currency, for instance 10.00',
      decimalArgument('an amount such as 10.00'),
    )
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print the account transaction, or { "approval" }')
    .action(
      (accountId: string, { amount, reason, json }: { amount: Decimal; reason: string; json?: boolean }) =>
        run(async (session) => {
          const terms = { accountId, amount: amount.toFixed() };
          const outcome = await decideOrAsk(session, `account.${verb}`, terms, reason);
          await tellOutcome(console, json, outcome, (value) => ({ value, text: `${accountId}: done.` }));
        }),
    );
}

function addOfframp(group: Command, { console, run }: CommandContext): void {
  group
    .command('offramp <id>')
    .description('offramp-deposit by hand; above the limit another operator must approve it')
    .requiredOption(
      '--amount <amount>',
      'in its currency, for instance 10.00',
      decimalArgument('an amount such as 10.00'),
    )
    .requiredOption('--reference <text>', 'the off-ramp’s own, once', textArgument(200))
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print the account transaction, or { "approval" }')
    .action((accountId: string, { amount, reference, reason, json }: OfframpOptions) =>
      run(async (session) => {
        const terms = { accountId, amount: amount.toFixed(), reference };
        const outcome = await decideOrAsk(session, 'account.offramp', terms, reason);
        await tellOutcome(console, json, outcome, (value) => ({ value, text: `${accountId}: done.` }));
      }),
    );
}

interface OfframpOptions {
  amount: Decimal;
  reference: string;
  reason: string;
  json?: boolean;
}
