import type { Command } from 'commander';
import type { Decimal } from '../../../../kernel/money/money';
import type { DecisionName } from '../../../approvals/kinds';
import { decideOrAsk } from '../../../approvals/operations';
import { decimalArgument, reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { tellOutcome } from '../outcome';

const AFTER = `
A contract may pass native coin on within its own call: no transaction and no log shows that, so no deposit is found by itself, and
"chain reconcile" shows a difference. The amount must be what the balances of the wallet at both ends of the block prove, less what the
transactions of the block show. They are read when you ask for it, and again when another operator approves it. The deposit is booked to
whom the wallet was allocated at the block's time, in suspense where that is nobody, or it is less than the smallest deposit.`;

const TAKE_BACK_AFTER = `
Refused while the balances at both ends of its block show the coin.`;

interface Given {
  reason: string;
  json?: boolean;
}

interface RecordOptions extends Given {
  chain: string;
  address: string;
  amount: Decimal;
  hash: string;
}

/**
 * Commands for coins that contracts passed on. Need two people and the balances before and after a block (decisions
 * part 4, Wallets).
 */
export function addChainDepositCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('chain-deposit')
    .description(
      'deposits on chains that people decide on: coins that no transaction shows, and credits above the limit',
    );
  addRecord(group, context);
  addTakeBack(group, context);
  addCredit(group, context);
}

function addRecord(group: Command, context: CommandContext): void {
  group
    .command('record')
    .description('books the coin; another operator must approve it')
    .requiredOption('--chain <name>', 'for instance local')
    .requiredOption('--address <address>', 'the wallet that it has come to')
    .requiredOption('--amount <amount>', 'as the chain has it', decimalArgument('an amount such as 10.00'))
    .requiredOption('--hash <hash>', 'of the transaction in which it was passed on')
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "approval" }')
    .addHelpText('after', AFTER)
    .action(({ chain, address, amount, hash, ...given }: RecordOptions) => {
      const terms = { chain, address, amount: amount.toFixed(), txHash: hash };
      return decided(context, 'chain-deposit.record', terms, given);
    });
}

function addTakeBack(group: Command, context: CommandContext): void {
  group
    .command('take-back <deposit>')
    .description(
      'the coin is not there after all: what was credited is debited, whatever the balance; another operator must approve it',
    )
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "approval" }')
    .addHelpText('after', TAKE_BACK_AFTER)
    .action((id: string, given: Given) => decided(context, 'chain-deposit.take-back', { id }, given));
}

function addCredit(group: Command, context: CommandContext): void {
  group
    .command('credit <deposit>')
    .description(
      'asks again for a credit above the limit that was rejected; another operator must approve it',
    )
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "approval" }')
    .action((id: string, given: Given) => decided(context, 'chain-deposit.credit', { id }, given));
}

const decided = (
  { console, run }: CommandContext,
  name: DecisionName,
  terms: object,
  { reason, json }: Given,
) =>
  run(async (session) => tellOutcome(console, json, await decideOrAsk(session, name, terms, reason), told));

/** @param value result of a decision that was carried out at once */
function told(value: unknown) {
  const { id, status } = value as { id: string; status: string };
  return { value, text: `${id} is ${status}.` };
}
