import type { Session } from '../session';
import type { Console } from './console';

/** What a group of commands is given. */
export interface CommandContext {
  console: Console;
  /** Opens a session for one action and closes it. @returns the exit code that the action gave, 0 without one */
  run: (action: (session: Session) => Promise<number | void>) => Promise<void>;
}
