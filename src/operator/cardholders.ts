import type { Command } from 'commander';
import { decideCardholder } from '../people/cardholders/review/decision';
import { awaitingReview } from '../people/cardholders/store';
import { cardholderView } from '../people/cardholders/view';
import { show, table } from './console';
import { addDecisions, LISTED } from './decision-commands';
import type { Operator } from './operator';

export function addCardholderCommands(program: Command, operator: Operator): void {
  const group = program.command('cardholder').description('cardholders that wait for your review');
  addList(group, operator);
  addDecisions(group, operator, {
    noun: 'cardholder',
    approve: 'lets it be submitted to the party',
    reject: 'ends the review; the client reads the reason and may submit again',
    decide: (session, tx, { id, ...given }) => decideCardholder(session, tx, { cardholderId: id, ...given }),
    audited: ({ status }) => ({ status }),
    record: cardholderView,
    told: ({ id, status }) => `${id} is ${status}.`,
  });
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
        show(console, json, waiting.map(cardholderView), table(columns, rows));
      }),
    );
}
