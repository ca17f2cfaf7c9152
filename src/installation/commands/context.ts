import type { Console } from '../../desk/cli/console';
import type { InstallationSession } from '../session';

/** Dependencies of a group of commands. */
export interface CommandContext {
  console: Console;
  /** Opens a session for one action and closes it. @returns exit code of the action, 0 by default */
  run: (action: (session: InstallationSession) => Promise<number | void>) => Promise<void>;
}
