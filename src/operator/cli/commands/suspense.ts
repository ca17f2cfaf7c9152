import type { Command } from 'commander';
import { type Decimal, formatAmount } from '../../../kernel/money/money';
import { adoptTransfer, concludeTransfer } from '../../../transfers/conclude';
import type { DoorKind } from '../../../transfers/engine/books/doors';
import type { Conclusion } from '../../../transfers/engine/conclusion';
import { listSuspense, type SuspenseItem, suspenseOf, useDoor } from '../../../transfers/suspense';
import { conclusionArgument, decimalArgument, reasonArgument } from '../arguments';
import { type Cell, show, table } from '../console';
import type { CommandContext } from '../context';
import { addListing } from '../listing';

const LISTED = 200;

/** Money of transfers that no rule gives to anybody, and the doors by which it leaves (decisions part 2). */
export function addSuspenseCommands(program: Command, context: CommandContext): void {
  const group = program.command('suspense').description('money that is nobody’s yet, and what becomes of it');
  addListing(group, context, {
    description: `all that stands in suspense, the oldest first; at most ${LISTED}`,
    load: ({ database }) => listSuspense(database, LISTED),
    columns: COLUMNS,
    row: rowOf,
    view: itemView,
  });
  addShow(group, context);
  for (const door of DOORS) addDoor(group, context, door);
  addConclude(program, context);
  addAdopt(program, context);
}

const COLUMNS = ['transfer', 'kind', 'client', 'account', 'status', 'amount', 'since'];

function rowOf(item: SuspenseItem): Cell[] {
  const { transferId, kind, tenantId, accountId, status, amount, currency, since } = item;
  const shown = `${formatAmount(amount, currency)} ${currency}`;
  return [transferId, kind, tenantId, accountId, status, shown, since.toISOString()];
}

const itemView = ({ amount, currency, since, ...item }: SuspenseItem) => ({
  ...item,
  amount: formatAmount(amount, currency),
  currency,
  since: since.toISOString(),
});

function addShow(group: Command, { console, run }: CommandContext): void {
  group
    .command('show <transfer>')
    .description('what of a transfer stands in suspense')
    .option('--json', 'print a JSON array')
    .action((id: string, { json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const items = await suspenseOf(database, id);
        show(console, json, items.map(itemView), table(COLUMNS, items.map(rowOf)));
      }),
    );
}

interface DoorCommand {
  name: string;
  door: DoorKind;
  description: string;
  takesAccount: boolean;
}

const DOORS: readonly DoorCommand[] = [
  {
    name: 'return',
    door: 'return',
    description: 'sends it back to the payer, by the party',
    takesAccount: false,
  },
  { name: 'credit', door: 'credit', description: 'gives it to its owner’s account', takesAccount: true },
  { name: 'write-off', door: 'write_off', description: 'books it to losses', takesAccount: false },
  {
    name: 'recover',
    door: 'recover',
    description: 'takes what is below zero from an account',
    takesAccount: true,
  },
];

interface DoorOptions {
  amount?: Decimal;
  currency?: string;
  account?: string;
  reason: string;
  json?: boolean;
}

function addDoor(group: Command, { console, run }: CommandContext, spec: DoorCommand): void {
  const command = group
    .command(`${spec.name} <transfer>`)
    .description(spec.description)
    .option('--amount <amount>', 'all that is left without it', decimalArgument('an amount such as 10.00'))
    .option('--currency <currency>', 'where more than one is in suspense')
    .requiredOption('--reason <text>', 'kept with the decision', reasonArgument)
    .option('--json', 'print what is left as JSON');
  if (spec.takesAccount) command.requiredOption('--account <id>', 'whose it is');
  command.action((id: string, { amount, currency, account, reason, json }: DoorOptions) =>
    run(async (session) => {
      const given = { transferId: id, door: spec.door, amount, currency, accountId: account, reason };
      await session.change(
        (tx) => useDoor(session, tx, { ...given, decidedBy: session.actor }),
        ({ after }) => ({
          action: `suspense.${spec.name}`,
          subject: id,
          tenantId: after.transfer.tenantId,
          after: { amount: amount?.toFixed() ?? 'all', accountId: account ?? null, reason },
        }),
      );
      const left = await suspenseOf(session.database, id);
      show(
        console,
        json,
        left.map(itemView),
        `${id}: decided; ${left.length === 0 ? 'nothing' : 'something'} is left in suspense.`,
      );
    }),
  );
}

function addConclude(program: Command, { console, run }: CommandContext): void {
  program
    .command('conclude <transfer>')
    .description('ends what its party never ends, until the party says something else')
    .requiredOption('--as <outcome>', 'paid or failed', conclusionArgument)
    .requiredOption('--evidence <text>', 'what you have seen; kept with the decision', reasonArgument)
    .action((id: string, { as, evidence }: { as: Conclusion; evidence: string }) =>
      run(async (session) => {
        const { after } = await session.change(
          (tx) => concludeTransfer(session, tx, { transferId: id, as, evidence, decidedBy: session.actor }),
          (decided) => ({
            action: 'transfer.conclude',
            subject: id,
            tenantId: decided.after.transfer.tenantId,
            before: { status: decided.before.transfer.status },
            after: { status: decided.after.transfer.status, as, evidence },
          }),
        );
        console.out(`${id} is ${after.transfer.status}.`);
      }),
    );
}

function addAdopt(program: Command, { console, run }: CommandContext): void {
  program
    .command('adopt <transfer>')
    .description('posts what the books of a transfer of an earlier release lack; its breaks say what that is')
    .requiredOption('--reason <text>', 'kept with the decision', reasonArgument)
    .action((id: string, { reason }: { reason: string }) =>
      run(async (session) => {
        await session.change(
          (tx) => adoptTransfer(session, tx, { transferId: id, reason, decidedBy: session.actor }),
          ({ after }) => ({
            action: 'transfer.adopt',
            subject: id,
            tenantId: after.transfer.tenantId,
            after: { reason },
          }),
        );
        console.out(`${id} is adopted: its books follow its party’s word from now on.`);
      }),
    );
}
