import { type Console, printable, show } from '../../../desk/cli/console';
import type { Approval } from '../../../process/approvals/operations';
import { approvalView, whatOf } from '../../../process/approvals/view';
import { whyTwo } from '../../../process/limits/operations';
import type { Outcome } from '../../approvals/operations';

/** Prints a decision that may wait for approval. @param told text for a decision that was carried out at once */
export async function tellOutcome(
  console: Console,
  json: boolean | undefined,
  outcome: Outcome,
  told: (result: unknown) => Promise<{ value: unknown; text: string }> | { value: unknown; text: string },
): Promise<void> {
  if ('done' in outcome) {
    const { value, text } = await told(outcome.done.result);
    return show(console, json, value, text);
  }
  const { asked, weight } = outcome;
  show(
    console,
    json,
    { approval: approvalView(asked) },
    `${askedText(asked)} ${whyTwo(weight.takesTwo)}`.trimEnd(),
  );
}

/** Names the waiting change and the command that approves it. */
export const askedText = (asked: Approval): string =>
  `${printable(whatOf(asked))}${asked.money ? '' : '. It'} takes two: another operator decides by "approval approve ${asked.id}".`;
