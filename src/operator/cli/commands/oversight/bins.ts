import type { Command } from 'commander';
import { type Bin, type BinChange, changeBin } from '../../../../cards/programmes/operations';
import { binView } from '../../../../cards/programmes/view';
import { show } from '../../../../desk/cli/console';
import { countArgument, reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';

/** Commands that open and close existing BINs and change their capacity. */
export function addBinChanges(group: Command, context: CommandContext): void {
  addStatus(group, context, 'open', 'active', 'issues on it again');
  addStatus(group, context, 'close', 'closed', 'nothing new is issued on it; its cards go on');
  addCapacity(group, context);
}

function addStatus(
  group: Command,
  context: CommandContext,
  verb: 'open' | 'close',
  status: Bin['status'],
  description: string,
): void {
  group
    .command(`${verb} <bin>`)
    .description(description)
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print the BIN as JSON')
    .action((bin: string, { reason, json }: { reason: string; json?: boolean }) =>
      change(context, bin, { action: `bin.${verb}`, change: { status }, json, reason }),
    );
}

function addCapacity(group: Command, context: CommandContext): void {
  group
    .command('set <bin>')
    .description('changes how many cards a cardholder may have on it')
    .requiredOption('--capacity <number>', 'cards a cardholder may have', countArgument)
    .option('--json', 'print the BIN as JSON')
    .action((bin: string, { capacity, json }: { capacity: number; json?: boolean }) =>
      change(context, bin, { action: 'bin.set', change: { capacityPerCardholder: capacity }, json }),
    );
}

interface Wanted {
  action: string;
  change: BinChange;
  json: boolean | undefined;
  reason?: string;
}

function change(
  { console, run }: CommandContext,
  bin: string,
  { action, change: wanted, json, reason }: Wanted,
): Promise<void> {
  return run(async (session) => {
    const { after } = await session.change(
      (tx) => changeBin(tx, bin, wanted),
      ({ before, after: changed }) => ({
        action,
        subject: bin,
        before: changeable(before),
        after: { ...changeable(changed), reason },
      }),
    );
    const text = `BIN ${bin} is ${after.status}: ${after.capacityPerCardholder} cards a cardholder.`;
    show(console, json, binView(after), text);
  });
}

const changeable = ({ status, capacityPerCardholder }: Bin) => ({ status, capacityPerCardholder });
