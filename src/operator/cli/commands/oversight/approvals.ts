import { type Command, Option } from 'commander';
import { formatAmount } from '../../../../kernel/money/money';
import { type Approval, listApprovals } from '../../../../process/approvals/operations';
import { approvalView } from '../../../../process/approvals/view';
import type { Weight } from '../../../../process/limits/operations';
import { approve, type Decided, type Outcome, reject } from '../../../approvals/operations';
import { reasonArgument } from '../../arguments';
import { type Console, show } from '../../console';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

const LISTED = 200;

/** What one operator has asked for and another one decides (decisions part 2, Two people for much money). */
export function addApprovalCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('approval')
    .description('what another operator has asked for, above the limit');
  addListing(group, context, {
    description: `those that wait, the longest first; at most ${LISTED}`,
    options: [new Option('--all', 'the decided ones too')],
    load: ({ database }, { all = false }: { all?: boolean }) => listApprovals(database, all, LISTED),
    columns: ['id', 'what', 'about', 'client', 'amount', 'why', 'asked by', 'since', 'status', 'decided by'],
    row: ({ id, kind, subject, tenantId, reason, requestedBy, requestedAt, status, decidedBy, ...money }) => [
      ...[id, kind, subject, tenantId, moneyText(money), reason, requestedBy],
      ...[requestedAt.toISOString(), status, decidedBy],
    ],
    view: approvalView,
  });
  addApprove(group, context);
  addReject(group, context);
}

const moneyText = ({ amount, currency }: Pick<Approval, 'amount' | 'currency'>): string =>
  `${formatAmount(amount, currency)} ${currency}`;

function addApprove(group: Command, { console, run }: CommandContext): void {
  group
    .command('approve <id>')
    .description('does it, now; who asked for it cannot')
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
  show(console, json, printed, `${id} is ${status}${done ? `: ${kind} of ${subject} is done` : ''}.`);
}

/** What is not to be seen from the amount alone. */
function whyTwo({ alone: { amount, currency }, limit, sum }: Weight): string {
  if (limit === null)
    return ' No limit is known: no API or worker of this release has started on this database yet.';
  if (sum.eq(amount)) return '';
  const comes = `${formatAmount(sum, currency)} ${currency}`;
  return ` With what was decided by one before, it comes to ${comes}; the limit is ${limit.toFixed()}.`;
}

/** Tells of a decision that may take two. @param told of one that was done at once */
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
  const text = `${moneyText(asked)} takes two: another operator decides by "approval approve ${asked.id}".${whyTwo(weight)}`;
  show(console, json, { approval: approvalView(asked) }, text);
}
