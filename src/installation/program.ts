import { Command, CommanderError } from 'commander';
import type { Console } from '../desk/cli/console';
import { failureOf, tellFailure } from '../desk/cli/failure';
import { addArchiveCommand } from './commands/archive';
import { addAuditCommands } from './commands/audit';
import { addBackupCommands, type BackupPlace } from './commands/backup';
import type { CommandContext } from './commands/context';
import { addDocumentsCommand } from './commands/documents';
import { addKeyCommands } from './commands/keys';
import { addLedgerCommands } from './commands/ledger';
import { addLostCommitsCommand } from './commands/lost-commits';
import { addOperatorCommands } from './commands/operators';
import { addSchemaCommand, type SchemaPlace } from './commands/schema';
import { addSeedCommands } from './commands/seed/seed';
import { addWalletSeedCommands } from './commands/wallet-seed';
import { type InstallationPlace, type InstallationSession, openInstallation } from './session';

const HELP = `
Examples:
  npm run installation -- migrate
  npm run installation -- ledger check
  npm run installation -- ledger trial-balance --at 2026-01-31T12:00:00Z
  npm run installation -- archive --before 2025-01-01T00:00:00Z --to archive.ndjson
  npm run installation -- audit verify
  npm run installation -- documents check
  npm run installation -- backup --to /mnt/backup/2026-01-31
  DATA_DIR=.restored npm run installation -- restore --from /mnt/backup/2026-01-31
  npm run installation -- lost-commits --since 2026-01-31T12:00:00Z
  npm run installation -- keys rotate
  npm run installation -- operator add --name bob
  npm run installation -- seed export --approval apr_… --to /media/ceremony/shares
  npm run installation -- seed verify --shares /media/alice/share-1.txt /media/bob/share-2.txt --fingerprint 0123-…
  npm run installation -- seed import --approval apr_… --shares share-1.txt share-2.txt share-3.txt
  npm run installation -- seed recover --gap 1000

These commands need no running product. They work on the database that DATABASE_URL names together with MASTER_KEYS, or on the
embedded one of a running "npm start" (DATA_DIR, .data by default). Everything else that operators do is at the desk: "npm run
operator". Exit codes: 0 done, 2 wrong usage or input, 1 anything else, or a proof that fails.`;

/**
 * Runs one command.
 * @param locate finds the installation; called only for commands that need it
 * @param schema of `migrate`
 * @param backups of `backup` and `restore`
 * @returns the exit code
 */
export async function runInstallationProgram(
  argv: string[],
  console: Console,
  locate: () => Promise<InstallationPlace>,
  schema: SchemaPlace,
  backups: BackupPlace,
): Promise<number> {
  let exitCode = 0;
  async function runOn(
    place: InstallationPlace,
    action: (session: InstallationSession) => Promise<number | void>,
  ): Promise<void> {
    const session = await openInstallation(place);
    try {
      exitCode = (await action(session)) ?? 0;
    } finally {
      await session.close();
    }
  }
  const exit = (code: number) => {
    exitCode = code;
  };
  const context: CommandContext = { console, run: async (action) => runOn(await locate(), action) };
  const json = argv.includes('--json');
  try {
    const program = programOf(context, schema, json);
    addSeedCommands(program, { ...context, address: schema.address, exit });
    addBackupCommands(program, context, backups, runOn);
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // help
    const failure = failureOf(error);
    if (json || !(error instanceof CommanderError)) tellFailure(console, json, failure); // otherwise printed already
    return failure.exitCode;
  }
}

function programOf(context: CommandContext, schema: SchemaPlace, json: boolean): Command {
  const { console } = context;
  const program = new Command('installation')
    .usage('<group> <command>')
    .description(
      'What must work without a running product: backups, proofs of the books and the audit log, the keys, operators, the seed of wallets.',
    )
    .helpCommand(false)
    .showHelpAfterError('(add --help to see what it takes)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => console.out(text.trimEnd()),
      writeErr: (text) => {
        if (!json) console.err(text.trimEnd());
      },
    })
    .addHelpText('after', HELP);
  addSchemaCommand(program, console, schema);
  addLedgerCommands(program, context);
  addArchiveCommand(program, context);
  addAuditCommands(program, context);
  addDocumentsCommand(program, context);
  addKeyCommands(program, context);
  addOperatorCommands(program, context);
  addWalletSeedCommands(program, context);
  addLostCommitsCommand(program, context);
  return program;
}
