import type { RateLimiter } from '../../kernel/rate-limit';
import type { Deciding } from '../decide';
import type { SignInDeps } from '../sign-in/operations';

/** Dependencies of the desk's routes. */
export interface DeskHttp extends Deciding, SignInDeps {
  /** URL of a workflow in Temporal's UI. Null when the UI's address is not known. */
  workflowUrl(workflowId: string): string | null;
  /** Rate limiter of operators, by actor. */
  spend: RateLimiter;
}
