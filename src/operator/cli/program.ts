import { Command, CommanderError } from 'commander';
import { ConfigError } from '../../kernel/config';
import { Problem } from '../../kernel/errors';
import { StartupError } from '../../kernel/startup-error';
import { type Installation, openSession } from '../session';
import { addBinCommands } from './commands/bins';
import { addBreakCommands } from './commands/breaks';
import { addCardholderCommands } from './commands/cardholders';
import { addClientCommands } from './commands/clients';
import { addDepositCommands } from './commands/deposits';
import { addIbanCommands } from './commands/iban';
import { addLedgerCommands } from './commands/ledger';
import { addPayoutCommands } from './commands/payouts';
import { addSuspenseCommands } from './commands/suspense';
import { addWebhookCommands } from './commands/webhooks';
import { addWorkflowCommands } from './commands/workflow-commands';
import type { Console } from './console';
import type { CommandContext } from './context';

const EXAMPLES = `
Examples:
  npm run operator -- client create --name "Acme" --json
  npm run operator -- client settings cli_01h… --set rateLimit.perSecond=50 --set cardholderReview=manual
  npm run operator -- bin list
  npm run operator -- cardholder approve chd_01h…
  npm run operator -- deposit approve dep_01h…
  npm run operator -- breaks list
  npm run operator -- suspense credit dep_01h… --account acc_01h… --reason "the payer named it"
  npm run operator -- webhooks list --status failing
  npm run operator -- iban enable cli_01h…
  npm run operator -- ledger check

It works on a running "npm start" (DATA_DIR, .data by default), or on the database that DATABASE_URL names together with
MASTER_KEY. Every change is written to the audit log. For output to be read by a program: npm run --silent operator -- …`;

/** @param locate finds the installation; called only for what works on one */
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
  try {
    await programOf(context).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // told already
    console.err(explained(error));
    return 1;
  }
}

function programOf(context: CommandContext): Command {
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
      writeErr: (text) => console.err(text.trimEnd()),
    })
    .addHelpText('after', EXAMPLES);
  addClientCommands(program, context);
  addBinCommands(program, context);
  addCardholderCommands(program, context);
  addDepositCommands(program, context);
  addPayoutCommands(program, context);
  addSuspenseCommands(program, context);
  addWebhookCommands(program, context);
  addIbanCommands(program, context);
  addLedgerCommands(program, context);
  addBreakCommands(program, context);
  addWorkflowCommands(program, context);
  return program;
}

function explained(error: unknown): string {
  if (error instanceof Problem || error instanceof StartupError || error instanceof ConfigError)
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
