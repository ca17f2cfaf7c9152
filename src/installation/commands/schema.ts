import type { Command } from 'commander';
import type { Console } from '../../desk/cli/console';

/** Work on the schema, with the owner's rights. */
export interface SchemaPlace {
  /** @returns names of the files that were applied */
  migrate(): Promise<string[]>;
  /** Statements that create the roles, for an administrator. */
  statements(): Promise<string[]>;
  /** Address of the database, for proofs that need no key. @throws StartupError where none is named */
  address(): Promise<string>;
}

/** Brings the schema and the rights of the roles up to date, as `--role migrate` does. */
export function addSchemaCommand(program: Command, console: Console, schema: SchemaPlace): void {
  program
    .command('migrate')
    .description(
      'as DATABASE_OWNER_URL: migrates the schema, and gives the users of the other addresses their rights',
    )
    .option(
      '--print',
      'change nothing, and print the statements by which an administrator creates these users (without their passwords)',
    )
    .action(async ({ print = false }: { print?: boolean }) => {
      if (print) {
        for (const statement of await schema.statements()) console.out(`${statement};`);
        return;
      }
      const applied = await schema.migrate();
      console.out(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The schema is up to date.');
    });
}
