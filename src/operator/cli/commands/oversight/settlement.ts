import { type Command, Option } from 'commander';
import { type Decimal, formatAmount } from '../../../../kernel/money/money';
import { SETTLEMENT_MOVES, type SettlementMoveKind } from '../../../../transfers/exchange/settlement/move';
import { decideOrAsk } from '../../../approvals/operations';
import { currencyArgument, decimalArgument, reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { tellOutcome } from './approvals';

interface MoveOptions {
  currency: string;
  amount: Decimal;
  as: SettlementMoveKind;
  reason: string;
  json?: boolean;
}

const AFTER = `
  funding     our own money that is sent to the exchange, from the treasury: book it before it leaves
  withdrawal  our own money that is taken home, to the treasury: book it once it has left the exchange
  write-off   what the exchange owed and has not paid, to losses: no more than is short by the last check
  surplus     what it has paid and did not owe, from losses

What a check of the settlement finds beyond our books pays the orders that wait: in the other order, our own money would.
While funding travels, as much of what the exchange has paid keeps orders waiting. For some seconds after a withdrawal no check
is made.`;

/** What we have at the exchange of our own, and what a settlement came short of (decisions part 4, Exchange). */
export function addSettlementCommands(program: Command, { console, run }: CommandContext): void {
  program
    .command('settlement')
    .description('what the exchange has of ours')
    .command('move')
    .description(
      'books money that no order or withdrawal has moved; above the limit another operator must approve it',
    )
    .requiredOption('--currency <code>', 'for instance USD', currencyArgument)
    .requiredOption('--amount <amount>', 'more than zero', decimalArgument('an amount such as 10.00'))
    .addOption(new Option('--as <kind>', 'what it is').choices(SETTLEMENT_MOVES).makeOptionMandatory())
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print { "referenceId", "currency", "amount", "as" }, or { "approval" }')
    .addHelpText('after', AFTER)
    .action(({ currency, amount, as, reason, json }: MoveOptions) =>
      run(async (session) => {
        const terms = { currency, amount: amount.toFixed(), as };
        const outcome = await decideOrAsk(session, 'settlement.move', terms, reason);
        await tellOutcome(console, json, outcome, (value) => ({
          ...{ value, text: `${formatAmount(amount, currency)} ${currency} is booked as ${as}.` },
        }));
      }),
    );
}
