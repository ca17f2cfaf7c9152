import type { Deciding } from '../decide';
import type { SignInDeps } from '../sign-in/operations';

/** What the routes of the desk need. */
export interface DeskHttp extends Deciding, SignInDeps {
  /** URL of a workflow in Temporal's UI. Null when the UI's address is not known. */
  workflowUrl(workflowId: string): string | null;
}
