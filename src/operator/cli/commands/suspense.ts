import type { Command } from 'commander';
import type { CardConclusion } from '../../../cards/orders/conclude';
import { suspense } from '../../../desk/queues/transfers';
import type { Sql } from '../../../kernel/db/database';
import { isId } from '../../../kernel/ids';
import { type Decimal, formatAmount } from '../../../kernel/money/money';
import { suspenseOfCard } from '../../../transfers/card-suspense';
import type { Conclusion } from '../../../transfers/engine/conclusion';
import { suspenseOf } from '../../../transfers/suspense';
import { suspenseView } from '../../../transfers/suspense-view';
import type { DecisionName } from '../../approvals/kinds';
import { decideOrAsk } from '../../approvals/operations';
import { conclusionArgument, decimalArgument, reasonArgument } from '../arguments';
import { show, table } from '../console';
import type { CommandContext } from '../context';
import { addQueueListing } from '../desk/queue-listing';
import { tellOutcome } from './oversight/approvals';
import { addFollowVersion } from './oversight/restored-parties';

/** Commands for money of transfers without an owner, and for the decisions that end it (decisions part 2). */
export function addSuspenseCommands(program: Command, context: CommandContext): void {
  const group = program.command('suspense').description('money that is nobody’s yet, and what becomes of it');
  addQueueListing(group, context, suspense);
  addShow(group, context);
  for (const door of DOORS) addDoor(group, context, door);
  addConclude(program, context);
  addFollowVersion(program, context);
}

/** Money of a transfer or of a closed card in suspense. */
const inSuspense = (sql: Sql, id: string) =>
  isId('card', id) ? suspenseOfCard(sql, id) : suspenseOf(sql, id);

function addShow(group: Command, { console, run }: CommandContext): void {
  group
    .command('show <transfer>')
    .description('what of a transfer, or of a closed card, stands in suspense')
    .option('--json', 'print a JSON array')
    .action((id: string, { json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const items = await inSuspense(database, id);
        const rows = items.map(({ amount, currency, since }) => [
          ...[formatAmount(amount, currency), currency, since.toISOString()],
        ]);
        show(console, json, items.map(suspenseView), table(['amount', 'currency', 'since'], rows));
      }),
    );
}

interface DoorCommand {
  name: 'return' | 'credit' | 'write-off' | 'recover';
  description: string;
  takesAccount: boolean;
}

const DOORS: readonly DoorCommand[] = [
  {
    name: 'return',
    description: 'sends it back to the payer, by the party',
    takesAccount: false,
  },
  { name: 'credit', description: 'gives it to its owner’s account', takesAccount: true },
  { name: 'write-off', description: 'books it to losses', takesAccount: false },
  {
    name: 'recover',
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
    .option('--json', 'print what is left as JSON, or { "approval" }');
  if (spec.takesAccount) command.requiredOption('--account <id>', 'whose it is');
  command.action((id: string, { amount, currency, account, reason, json }: DoorOptions) =>
    run(async (session) => {
      const terms = { transferId: id, amount: amount?.toFixed(), currency, accountId: account };
      const name: DecisionName = `suspense.${spec.name}`;
      await tellOutcome(console, json, await decideOrAsk(session, name, terms, reason), async () => {
        const left = await inSuspense(session.database, id);
        const what = left.length === 0 ? 'nothing' : 'something';
        return { value: left.map(suspenseView), text: `${id}: decided; ${what} is left in suspense.` };
      });
    }),
  );
}

interface ConcludeOptions {
  as: Conclusion | CardConclusion;
  evidence: string;
  json?: boolean;
}

function addConclude(program: Command, { console, run }: CommandContext): void {
  program
    .command('conclude <id>')
    .description(
      'ends a transfer or a card order that its party never ends, until the party says something else',
    )
    .requiredOption(
      '--as <outcome>',
      'a transfer: paid or failed; a card: failed or closed',
      conclusionArgument,
    )
    .requiredOption('--evidence <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "transferId" or "cardId", "status" }, or { "approval" }')
    .action((id: string, { as, evidence, json }: ConcludeOptions) =>
      run(async (session) => {
        const outcome = isId('card', id)
          ? await decideOrAsk(session, 'card-order.conclude', { cardId: id, as }, evidence)
          : await decideOrAsk(session, 'transfer.conclude', { transferId: id, as }, evidence);
        await tellOutcome(console, json, outcome, (result) => ({
          value: result,
          text: `${id} is ${(result as { status: string }).status}.`,
        }));
      }),
    );
}
