import { Command, Option } from 'commander';
import type { Role } from '../kernel/config/config';

export type StartRole = Role | 'migrate' | 'parties';

/** Parses `--role api|worker|dispatcher|desk|signer|all|migrate|parties`. Exits with 0 for `--help` and with 2 for invalid arguments. */
export function readArguments(argv: string[]): { role: StartRole } {
  const command = new Command()
    .name('npm start --')
    .description(
      'Cardwright: card issuing and multi-currency accounts. Configured by the environment (docs/operating.md).',
    )
    .addOption(
      new Option(
        '--role <role>',
        "what this process does; dispatcher: delivers webhooks; signer: signs for wallets and listens nowhere; parties: serves the sandbox's outside parties, for an installation elsewhere",
      )
        .choices(['all', 'api', 'worker', 'dispatcher', 'desk', 'signer', 'migrate', 'parties'])
        .default(
          'all',
          'api, worker, desk and signer, with an embedded Postgres and Temporal where none is configured',
        ),
    )
    .helpOption('-h, --help', 'show this')
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse(argv, { from: 'user' });
  const { role } = command.opts<{ role: StartRole }>();
  return { role };
}
