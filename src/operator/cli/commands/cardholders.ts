import type { Command } from 'commander';
import { cardholderRecord } from '../../../people/cardholders/record';
import { awaitingReview, decideCardholder } from '../../../people/cardholders/review';
import { show, table } from '../console';
import type { Operator } from '../context';
import { addDecisions, LISTED } from './decisions';

export function addCardholderCommands(program: Command, operator: Operator): void {
  const group = program.command('cardholder').description('cardholders that wait for your review');
  addList(group, operator);
  addDecisions(group, operator, {
    noun: 'cardholder',
    approve: 'lets it be submitted to the party',
    reject: 'ends the review; the client reads the reason and may submit again',
    decide: (session, tx, { id, ...given }) => decideCardholder(session, tx, { cardholderId: id, ...given }),
    audited: ({ status }) => ({ status }),
    record: cardholderRecord,
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
        show(console, json, waiting.map(cardholderRecord), table(columns, rows));
      }),
    );
}
