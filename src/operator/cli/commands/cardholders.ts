import type { Command } from 'commander';
import { awaitingReview, decideCardholder } from '../../../people/cardholders/review/decision';
import { cardholderView } from '../../../people/cardholders/view';
import type { CommandContext } from '../context';
import { addListing } from '../listing';
import { addDecisions, LISTED } from './approve-reject';

export function addCardholderCommands(program: Command, context: CommandContext): void {
  const group = program.command('cardholder').description('cardholders that wait for your review');
  addListing(group, context, {
    description: `those that are pending_review, the longest first; at most ${LISTED}`,
    load: ({ database }) => awaitingReview(database, LISTED),
    columns: ['id', 'client', 'user', 'bin', 'name', 'since'],
    row: (each) => [
      ...[each.id, each.tenantId, each.userId, each.bin, each.maskedName, each.updatedAt.toISOString()],
    ],
    view: cardholderView,
  });
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
