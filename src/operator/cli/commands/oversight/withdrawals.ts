import type { Command } from 'commander';
import { withdrawals, withdrawalView } from '../../../../desk/queues/transfers';
import { decideWithdrawal } from '../../../../transfers/external-cards/decide';
import type { CommandContext } from '../../context';
import { addQueueListing } from '../../desk/queue-listing';
import { groupOf } from '../../groups';
import { addDecisions } from '../approve-reject';

/** Withdrawals to payment cards that wait for the operator (decisions part 2). */
export function addWithdrawalCommands(program: Command, context: CommandContext): void {
  const group = groupOf(program, 'withdrawal', "withdrawals to cards above their tenant's thresholds");
  addQueueListing(group, context, withdrawals);
  addDecisions(group, context, {
    noun: 'withdrawal',
    approve: 'lets it be ordered of the acquirer',
    reject: 'it has failed, and what is held is released',
    decide: (session, tx, { id, ...given }) => decideWithdrawal(session, tx, { withdrawalId: id, ...given }),
    tenantOf: ({ transfer }) => transfer.tenantId,
    audited: ({ transfer: { status } }) => ({ status }),
    record: (withdrawal) => withdrawalView(withdrawal),
    told: (_, { transfer: { id, status } }) => `${id} is ${status}.`,
  });
}
