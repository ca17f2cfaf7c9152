import type { Command } from 'commander';
import type { Decimal } from '../../../../kernel/money/money';
import {
  currencyArgument,
  decimalArgument,
  placeArgument,
  reasonArgument,
  timeArgument,
} from '../../arguments';
import type { CommandContext } from '../../context';
import { decided, type Given } from './operations';

const AFTER = `
A transfer is known by its chain, transaction and ordinal for ever, and is booked once: to whom the wallet was allocated at the
block's time, in suspense where that is nobody, or it is less than the network's smallest deposit. Record what is there for good:
nobody looks again. What turns out not to be there is taken back by "chain-deposit take-back"; recorded again with the same terms it
is there again, and with others it is another deposit. A transaction of which something is recorded already is told of again only with
--also: a second transfer in it, not the same one under another ordinal.`;

interface RecordOptions extends Given {
  chain: string;
  address: string;
  asset: string;
  amount: Decimal;
  from: string;
  hash: string;
  ordinal: number;
  also: boolean;
  block: number;
  at: Date;
}

/** Deposits on chains that no node is asked about, by the word of who has looked (decisions part 4, Wallets). */
export function addChainDepositCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('chain-deposit')
    .description('deposits on chains that no node is asked about (TRON)');
  addRecord(group, context);
  addTakeBack(group, context);
}

function addRecord(group: Command, context: CommandContext): void {
  group
    .command('record')
    .description('books a transfer that you have seen; above the limit another operator must approve it')
    .requiredOption('--chain <name>', 'for instance tron')
    .requiredOption('--address <address>', 'the wallet that it has come to')
    .requiredOption('--asset <symbol>', 'for instance USDT', currencyArgument)
    .requiredOption('--amount <amount>', 'as the chain has it', decimalArgument('an amount such as 10.00'))
    .requiredOption('--from <address>', 'who has sent it')
    .requiredOption('--hash <hash>', 'of its transaction')
    .option('--ordinal <number>', 'of its log in the transaction, from 0', placeArgument, 0)
    .option('--also', 'a further transfer of a transaction of which one is recorded', false)
    .requiredOption('--block <number>', 'the block that it is in', placeArgument)
    .requiredOption('--at <time>', "the block's time, for instance 2026-01-31T12:00:00Z", timeArgument)
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "id", "status" }, or { "approval" }')
    .addHelpText('after', AFTER)
    .action(
      ({ chain, address, asset, amount, from, hash, ordinal, also, block, at, ...given }: RecordOptions) => {
        const terms = {
          ...{ chain, address, asset, from, ordinal, also, amount: amount.toFixed(), txHash: hash },
          ...{ blockNumber: block, blockAt: at.toISOString() },
        };
        return decided(context, 'chain-deposit.record', terms, given);
      },
    );
}

function addTakeBack(group: Command, context: CommandContext): void {
  group
    .command('take-back <deposit>')
    .description('the transfer is not there after all: what was credited is debited, whatever the balance')
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "id", "status" }, or { "approval" }')
    .action((id: string, given: Given) => decided(context, 'chain-deposit.take-back', { id }, given));
}
