import type { Command } from 'commander';
import { cardholders } from '../../../desk/queues/people';
import { decideCardholder } from '../../../people/cardholders/review/decision';
import { cardholderView } from '../../../people/cardholders/view';
import type { CommandContext } from '../context';
import { addQueueListing } from '../desk/queue-listing';
import { addDecisions } from './approve-reject';

export function addCardholderCommands(program: Command, context: CommandContext): void {
  const group = program.command('cardholder').description('cardholders that wait for your review');
  addQueueListing(group, context, cardholders);
  addDecisions(group, context, {
    noun: 'cardholder',
    approve: 'lets it be submitted to the party',
    reject: 'ends the review; the client reads the reason and may submit again',
    decide: (session, tx, { id, ...given }) => decideCardholder(session, tx, { cardholderId: id, ...given }),
    tenantOf: ({ tenantId }) => tenantId,
    audited: ({ status }) => ({ status }),
    record: cardholderView,
    told: (_, { id, status }) => `${id} is ${status}.`,
  });
}
