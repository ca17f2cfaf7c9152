import { type Command, InvalidArgumentError } from 'commander';
import { formatAmount } from '../money/money';
import { decidePayout } from '../payouts/decide';
import { totalDebit } from '../payouts/payout';
import { showPayout } from '../payouts/show';
import { awaitingApproval } from '../payouts/store';
import { show, table } from './console';
import type { Operator } from './program';

const LISTED = 100;
const LONGEST_REASON = 500;

interface Decision {
  reason?: string;
  json?: boolean;
}

export function addPayoutCommands(program: Command, operator: Operator): void {
  const group = program.command('payout').description("payouts above their tenant's threshold");
  addList(group, operator);
  addDecision(group, operator, 'approve', 'lets it be submitted to the provider');
  addDecision(group, operator, 'reject', 'releases what is held; the client reads the reason');
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description(`those that are pending_approval, the oldest first; at most ${LISTED}`)
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const waiting = await awaitingApproval(database, LISTED);
        const rows = waiting.map((each) => [
          ...[each.id, each.tenantId, each.accountId, each.method],
          `${formatAmount(totalDebit(each), each.currency)} ${each.currency}`,
          each.createdAt.toISOString(),
        ]);
        const columns = ['id', 'client', 'account', 'method', 'total', 'since'];
        show(console, json, waiting.map(showPayout), table(columns, rows));
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
    .option('--json', 'print the payout as JSON')
    .action((id: string, { reason, json }: Decision) =>
      run(async (session) => {
        const given = { payoutId: id, decision, reason, decidedBy: session.actor } as const;
        const { after } = await session.change(
          (tx) => decidePayout(session, tx, given),
          (changed) => ({
            action: `payout.${verb}`,
            subject: id,
            tenantId: changed.after.tenantId,
            before: { status: changed.before.status },
            after: { status: changed.after.status },
          }),
        );
        show(console, json, showPayout(after), `${id} is ${after.status}.`);
      }),
    );
}

function checkedReason(text: string): string {
  const reason = text.trim();
  if (reason.length === 0 || reason.length > LONGEST_REASON)
    throw new InvalidArgumentError(`1 to ${LONGEST_REASON} characters.`);
  return reason;
}
