import { type Command, Option } from 'commander';
import { type Approval, listApprovals } from '../../../../process/approvals/operations';
import { approvalView, whatOf } from '../../../../process/approvals/view';
import { whyTwo } from '../../../../process/limits/operations';
import { approve, type Decided, type Outcome, reject } from '../../../approvals/operations';
import { reasonArgument } from '../../arguments';
import { type Console, printable, show } from '../../console';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

const LISTED = 200;

/** Commands for requests that another operator decides (decisions part 2, Two people for much money). */
export function addApprovalCommands(program: Command, context: CommandContext): void {
  const group = program.command('approval').description('what another person has asked for, and takes two');
  addListing(group, context, {
    description: `those that wait, the longest first; at most ${LISTED}`,
    options: [new Option('--all', 'the decided ones too')],
    load: ({ database }, { all = false }: { all?: boolean }) => listApprovals(database, all, LISTED),
    columns: [
      ...['id', 'what', 'about', 'client', 'comes to', 'why', 'asked by', 'since'],
      ...['status', 'approved first by', 'decided by'],
    ],
    row: ({ id, kind, subject, tenantId, reason, requestedBy, requestedAt, status, ...rest }) => [
      ...[id, kind, subject, tenantId, whatOf(rest), reason, requestedBy, requestedAt.toISOString()],
      ...[status, rest.firstBy, rest.decidedBy],
    ],
    view: approvalView,
  });
  addApprove(group, context);
  addReject(group, context);
}

function addApprove(group: Command, { console, run }: CommandContext): void {
  group
    .command('approve <id>')
    .description('does it, now, or once a second operator approves it too; who asked for it cannot')
    .option('--reason <text>', 'kept with the decision', reasonArgument)
    .option('--json', 'print { "approval", "result" }')
    .action((id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      run(async (session) => tell(console, json, await approve(session, id, reason ?? null))),
    );
}

function addReject(group: Command, { console, run }: CommandContext): void {
  group
    .command('reject <id>')
    .description('nothing is done; who asked for it may take it back so')
    .requiredOption('--reason <text>', 'kept with the decision', reasonArgument)
    .option('--json', 'print { "approval" }')
    .action((id: string, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => tell(console, json, await reject(session, id, reason))),
    );
}

function tell(console: Console, json: boolean | undefined, { approval, done }: Decided): void {
  const { id, kind, subject, status } = approval;
  const printed = { approval: approvalView(approval), ...(done ? { result: done.result } : {}) };
  const text =
    status === 'pending'
      ? `${id} needs one more operator, because no operator asked for it.`
      : `${id} is ${status}${done ? `: ${kind} of ${subject} is done` : ''}.`;
  show(console, json, printed, text);
}

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
