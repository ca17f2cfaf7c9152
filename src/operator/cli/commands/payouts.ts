import type { Command } from 'commander';
import { formatAmount } from '../../../kernel/money/money';
import { awaitingApproval, decidePayout } from '../../../transfers/payouts/decide';
import { totalDebit } from '../../../transfers/payouts/record';
import { payoutView } from '../../../transfers/payouts/view';
import type { CommandContext } from '../context';
import { addListing } from '../listing';
import { addDecisions, LISTED } from './approve-reject';

export function addPayoutCommands(program: Command, context: CommandContext): void {
  const group = program.command('payout').description("payouts above their tenant's threshold");
  addListing(group, context, {
    description: `those that are pending_approval, the oldest first; at most ${LISTED}`,
    load: ({ database }) => awaitingApproval(database, LISTED),
    columns: ['id', 'client', 'account', 'method', 'total', 'since'],
    row: (payout) => [
      ...[payout.id, payout.tenantId, payout.accountId, payout.method],
      `${formatAmount(totalDebit(payout), payout.currency)} ${payout.currency}`,
      payout.createdAt.toISOString(),
    ],
    view: payoutView,
  });
  addDecisions(group, context, {
    noun: 'payout',
    approve: 'lets it be submitted to the party',
    reject: 'releases what is held; the client reads the reason',
    decide: (session, tx, { id, ...given }) => decidePayout(session, tx, { payoutId: id, ...given }),
    tenantOf: ({ tenantId }) => tenantId,
    audited: ({ status }) => ({ status }),
    record: payoutView,
    told: (_, { id, status }) => `${id} is ${status}.`,
  });
}
