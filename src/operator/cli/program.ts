import { Command, CommanderError } from 'commander';
import type { Console } from '../../desk/cli/console';
import { failureOf, tellFailure } from '../../desk/cli/failure';
import { type Installation, openSession } from '../session';
import { addBreakCommands } from './commands/breaks';
import { addChainCommands } from './commands/chain/chains';
import { addChainDepositCommands } from './commands/chain/deposits';
import { addGasOperationCommands } from './commands/chain/gas-operations';
import { addReconcileCommand } from './commands/chain/reconcile';
import { addWalletCommands } from './commands/chain/wallets';
import { addClientCommands } from './commands/clients';
import { addConclude } from './commands/conclude';
import { addDepositCommands } from './commands/deposits';
import { addDestinationCommands } from './commands/destinations';
import { addLedgerCommands } from './commands/ledger';
import { addAuditCommands } from './commands/oversight/audit';
import { addExchangeOrderCommands } from './commands/oversight/exchange-orders';
import { addOperatorCommands } from './commands/oversight/operators';
import { addFollowVersion } from './commands/oversight/restored-parties';
import { addSettlementCommands } from './commands/oversight/settlement';
import { addStopCommands } from './commands/oversight/stops';
import { addSwitchCommands } from './commands/oversight/switches';
import { addWithdrawalCommands } from './commands/oversight/withdrawals';
import { addWebhookCommands } from './commands/webhooks';
import { addWorkflowCommands } from './commands/workflow-commands';
import type { CommandContext } from './context';

const EXAMPLES = `
Examples:
  npm run operator -- desk
  npm run operator -- desk list payouts --older-than 2h
  npm run operator -- show pay_01h…
  npm run operator -- client create --name "Acme" --json
  npm run operator -- client settings cli_01h… --set rateLimit.perSecond=50 --set cardholderReview=manual
  npm run operator -- cardholder approve chd_01h…
  npm run operator -- deposit approve dep_01h…
  npm run operator -- breaks list
  npm run operator -- suspense credit dep_01h… --account acc_01h… --reason "the payer named it"
  npm run operator -- payout approve pay_01h… --preview
  npm run operator -- iban enable cli_01h…
  npm run operator -- destination add --client cli_01h… --currency EUR --name "Example GmbH" --iban DE89370400440532013000
  npm run operator -- settlement move --party exchange --currency USD --amount 500.00 --as funding --reason "a cushion"
  npm run operator -- capability off payout --reason "the bank is down"
  npm run operator -- user block usr_01h… --reason "stolen papers"
  npm run operator -- stops list
  npm run operator -- ledger check
  npm run operator -- chain reconcile local

The groups desk, show, approval, payout, iban-payout and suspense call the desk (DESK_URL, or the one of a running "npm start")
and need neither a key nor a database: "desk --help" lists them. All others work on a running "npm start" (DATA_DIR, .data by
default), or on the database that DATABASE_URL names together with MASTER_KEY. What decides takes an operator: OPERATOR_NAME and
OPERATOR_SECRET, "login", or the sandbox's own of its credentials.json. Every change is written to the audit log. For output to be read by a program: npm run --silent operator -- … --json; an error is then { "code", "message", "field" } on the error output. Exit codes: 0 done, 2 wrong usage or input,
3 not found, 4 not possible as things stand, 1 anything else.`;

/** @param locate finds the installation; called only for commands that need one */
export async function runProgram(
  argv: string[],
  console: Console,
  locate: () => Promise<Installation>,
): Promise<number> {
  let exitCode = 0;
  const context: CommandContext = {
    console,
    async run(action) {
      const session = await openSession(await locate());
      try {
        exitCode = (await action(session)) ?? 0;
      } finally {
        await session.close();
      }
    },
  };
  const json = argv.includes('--json');
  try {
    await programOf(context, json).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // help
    const failure = failureOf(error);
    if (json || !(error instanceof CommanderError)) tellFailure(console, json, failure); // otherwise printed already
    return failure.exitCode;
  }
}

/** Whether these words are a command here. All other commands are the desk's, which its catalogue makes. */
export function hasCommand(argv: string[]): boolean {
  const silent = { out: () => undefined, err: () => undefined };
  const program = programOf({ console: silent, run: async () => undefined }, true);
  const [group, verb] = argv.filter((word) => !word.startsWith('-'));
  const found = program.commands.find((command) => command.name() === group);
  if (!found) return group === undefined;
  return (
    found.commands.length === 0 || verb === undefined || found.commands.some((each) => each.name() === verb)
  );
}

function programOf(context: CommandContext, json: boolean): Command {
  const { console } = context;
  const program = new Command('operator')
    .usage('<group> <command>')
    .description(
      "Cardwright's command line for its operator: clients, BINs, cardholders, webhooks, the ledger.",
    )
    .helpOption('-h, --help', 'show help; also after a group or a command')
    .helpCommand(false)
    .showHelpAfterError('(add --help to see what it takes)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.out(text.trimEnd()),
      writeErr: (text) => {
        if (!json) console.err(text.trimEnd());
      },
    })
    .addHelpText('after', EXAMPLES);
  addClientCommands(program, context);
  addDepositCommands(program, context);
  addExchangeOrderCommands(program, context);
  addSettlementCommands(program, context);
  addConclude(program, context);
  addFollowVersion(program, context);
  addWebhookCommands(program, context);
  addDestinationCommands(program, context);
  addSwitchCommands(program, context);
  addLedgerCommands(program, context);
  addBreakCommands(program, context);
  addWorkflowCommands(program, context);
  addWithdrawalCommands(program, context);
  addOperatorCommands(program, context);
  addAuditCommands(program, context);
  addStopCommands(program, context);
  addReconcileCommand(program, context);
  addWalletCommands(program, context);
  addChainCommands(program, context);
  addChainDepositCommands(program, context);
  addGasOperationCommands(program, context);
  return program;
}
