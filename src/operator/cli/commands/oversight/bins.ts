import type { Command } from 'commander';
import { type Bin, type BinChange, changeBin } from '../../../../cards/programmes/operations';
import { binView } from '../../../../cards/programmes/view';
import { type Decimal, formatAmount } from '../../../../kernel/money/money';
import { countArgument, decimalArgument, reasonArgument } from '../../arguments';
import { show } from '../../console';
import type { CommandContext } from '../../context';

/** BINs that are there: opened, closed, given other limits. */
export function addBinChanges(group: Command, context: CommandContext): void {
  addStatus(group, context, 'open', 'active', 'issues on it again');
  addStatus(group, context, 'close', 'closed', 'nothing new is issued on it; its cards go on');
  addLimits(group, context);
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

interface Limits {
  capacity?: number;
  maxAuthorization?: Decimal | 'none';
  json?: boolean;
}

function addLimits(group: Command, context: CommandContext): void {
  const decimal = decimalArgument('an amount such as 500.00, or none');
  group
    .command('set <bin>')
    .description('changes the limits that are given; what is there already stays')
    .option('--capacity <number>', 'cards a cardholder may have', countArgument)
    .option(
      '--max-authorization <amount>',
      'above it: declined with limit_exceeded; "none" takes the limit away',
      (text: string) => (text === 'none' ? text : decimal(text)),
    )
    .option('--json', 'print the BIN as JSON')
    .action((bin: string, { capacity, maxAuthorization, json }: Limits) =>
      change(context, bin, {
        action: 'bin.set',
        change: {
          ...(capacity === undefined ? {} : { capacityPerCardholder: capacity }),
          ...(maxAuthorization === undefined
            ? {}
            : { maxAuthorization: maxAuthorization === 'none' ? null : maxAuthorization }),
        },
        json,
      }),
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
        ...{ action, subject: bin, before: changeable(before), after: { ...changeable(changed), reason } },
      }),
    );
    const told = { ...binView(after), maxAuthorization: changeable(after).maxAuthorization };
    const limit = told.maxAuthorization ?? 'any amount';
    show(
      console,
      json,
      told,
      `BIN ${bin} is ${after.status}: ${after.capacityPerCardholder} cards a cardholder, ${limit} an authorization.`,
    );
  });
}

const changeable = ({ status, capacityPerCardholder, maxAuthorization, currency }: Bin) => ({
  ...{ status, capacityPerCardholder },
  maxAuthorization: maxAuthorization && formatAmount(maxAuthorization, currency),
});
