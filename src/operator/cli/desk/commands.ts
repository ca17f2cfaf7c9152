import { Argument, type Command } from 'commander';
import type { Queue } from '../../../desk/queue';
import { QUEUES, type QueueCount, requireQueue, waitingCounts } from '../../../desk/waiting';
import { ageText, show, table } from '../console';
import type { CommandContext } from '../context';
import { type QueueOptions, queuePage, queueTable, withQueueOptions } from './queue-listing';

/** Commands that show everything that waits for a person. */
export function addDeskCommands(program: Command, { console, run }: CommandContext): void {
  const group = program
    .command('desk')
    .description('what waits for you: how much in each queue, and how long')
    .option('--json', 'print an array of { "queue", "count", "oldestSeconds" }')
    .addHelpText('after', `\nQueues, and what one decides:\n${QUEUES.map(helpOf).join('\n')}`)
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database, now }) => {
        const counts = await waitingCounts(database, now());
        show(console, json, counts, overview(counts));
      }),
    );
  const list = group
    .command('list')
    .addArgument(new Argument('<queue>', 'which').choices(QUEUES.map(({ name }) => name)))
    .description('what waits in a queue, the longest first');
  withQueueOptions(list)
    .option('--json', 'print { "queue", "items", "next" }')
    .action((name: string, given: QueueOptions) =>
      run(async (session) => {
        const queue = requireQueue(name);
        const page = await queuePage(session, queue, { ...given, ...group.opts() });
        const items = page.items.map(({ id, tenantId, since, record }) => ({ id, tenantId, since, record }));
        const { next = null } = page;
        const json = given.json ?? group.opts<{ json?: boolean }>().json;
        show(console, json, { queue: name, items, next }, queueText(queue, page, session.now()));
        if (next !== null && !json) console.err(`There is more: --after ${next}`);
      }),
    );
}

const helpOf = ({ name, description, commands }: Queue): string =>
  `  ${name.padEnd(14)}${description}\n${commands.map((each) => `${' '.repeat(16)}${each}`).join('\n')}`;

function overview(counts: QueueCount[]): string {
  const rows = counts.map(({ queue, count, oldestSeconds }) => [
    ...[queue, count, count === 0 ? null : ageText(oldestSeconds)],
  ]);
  return table(['queue', 'waiting', 'oldest'], rows);
}

function queueText(queue: Queue, page: Parameters<typeof queueTable>[1], now: Date): string {
  const decided = queue.commands.map((command) => `  npm run operator -- ${command}`).join('\n');
  return `${queueTable(queue, page, now)}\n\n${queue.description}:\n${decided}`;
}
