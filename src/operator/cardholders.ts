import { type Command, InvalidArgumentError } from 'commander';
import { cardholderRecord } from '../cardholders/record';
import { decideCardholder } from '../cardholders/review';
import { awaitingReview } from '../cardholders/store';
import { show, table } from './console';
import type { Operator } from './program';

const LISTED = 100;
const LONGEST_REASON = 500;

interface Decision {
  reason?: string;
  json?: boolean;
}

export function addCardholderCommands(program: Command, operator: Operator): void {
  const group = program.command('cardholder').description('cardholders that wait for your review');
  addList(group, operator);
  addDecision(group, operator, 'approve', 'lets it be submitted to the provider');
  addDecision(group, operator, 'reject', 'ends the review; the client reads the reason and may submit again');
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description(`those that are pending_review, the longest first; at most ${LISTED}`)
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const waiting = await awaitingReview(database, LISTED);
        const rows = waiting.map((each) => [
          ...[each.id, each.tenantId, each.userId, each.bin, each.maskedName, each.updatedAt.toISOString()],
        ]);
        const columns = ['id', 'client', 'user', 'bin', 'name', 'since'];
        show(console, json, waiting.map(cardholderRecord), table(columns, rows));
      }),
    );
}

function addDecision(
  group: Command,
  { console, run }: Operator,
  verb: 'approve' | 'reject',
  description: string,
): void {
  const decision = verb === 'approve' ? 'approved' : 'rejected';
  group
    .command(`${verb} <id>`)
    .description(description)
    .option('--reason <text>', 'kept with the decision', checkedReason)
    .option('--json', 'print the cardholder as JSON')
    .action((id: string, { reason, json }: Decision) =>
      run(async (session) => {
        const given = { cardholderId: id, decision, reason, decidedBy: session.actor } as const;
        const { after } = await session.change(
          (tx) => decideCardholder(session, tx, given),
          (changed) => ({
            action: `cardholder.${verb}`,
            subject: id,
            tenantId: changed.after.tenantId,
            before: { status: changed.before.status },
            after: { status: changed.after.status },
          }),
        );
        show(console, json, cardholderRecord(after), `${id} is ${after.status}.`);
      }),
    );
}

function checkedReason(text: string): string {
  const reason = text.trim();
  if (reason.length === 0 || reason.length > LONGEST_REASON)
    throw new InvalidArgumentError(`1 to ${LONGEST_REASON} characters.`);
  return reason;
}
