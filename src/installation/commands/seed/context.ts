import type { CommandContext } from '../context';

/** Dependencies of the commands of a key ceremony. */
export interface SeedContext extends CommandContext {
  /** Address of the database, for a proof that has no key. @throws StartupError where none is named */
  address(): Promise<string>;
  /** Sets the exit code of a command that opens no session. */
  exit(code: number): void;
}
