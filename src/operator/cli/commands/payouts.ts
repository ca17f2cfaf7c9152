import type { Command } from 'commander';
import { formatAmount } from '../../../kernel/money/money';
import { awaitingApproval, decidePayout } from '../../../transfers/payouts/decide';
import { totalDebit } from '../../../transfers/payouts/record';
import { payoutView } from '../../../transfers/payouts/view';
import { show, table } from '../console';
import type { Operator } from '../context';
import { addDecisions, LISTED } from './decisions';

export function addPayoutCommands(program: Command, operator: Operator): void {
  const group = program.command('payout').description("payouts above their tenant's threshold");
  addList(group, operator);
  addDecisions(group, operator, {
    noun: 'payout',
    approve: 'lets it be submitted to the party',
    reject: 'releases what is held; the client reads the reason',
    decide: (session, tx, { id, ...given }) => decidePayout(session, tx, { payoutId: id, ...given }),
    audited: ({ status }) => ({ status }),
    record: payoutView,
    told: ({ id, status }) => `${id} is ${status}.`,
  });
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
        show(console, json, waiting.map(payoutView), table(columns, rows));
      }),
    );
}
