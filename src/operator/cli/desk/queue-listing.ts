import { type Command, InvalidArgumentError } from 'commander';
import { ageText, show, table } from '../../../desk/cli/console';
import { pageOfQueue, type Queue, type WaitingPage } from '../../../desk/queue';
import type { Session } from '../../session';
import { countArgument, durationArgument } from '../arguments';
import type { CommandContext } from '../context';

/** Filters of a queue, as its options give them. */
interface QueueOptions {
  client?: string;
  kind?: string;
  currency?: string;
  /** Milliseconds. */
  olderThan?: number;
  limit: number;
  after?: string;
  json?: boolean;
}

const LISTED = 100;
const MOST = 1_000;

/** Adds the options of a queue's list: its filters and its pages. */
function withQueueOptions(command: Command, queue: Queue): Command {
  command.option('--client <id>', 'of this tenant only');
  if (queue.kind !== undefined) command.option('--kind <kind>', `of this kind only: ${queue.kind}`);
  if (queue.byCurrency) command.option('--currency <code>', 'in this currency only');
  return command
    .option('--older-than <age>', 'waiting for longer, for instance 30m, 2h or 3d', durationArgument)
    .option('--limit <number>', `at most ${MOST}`, limitArgument, LISTED)
    .option('--after <place>', 'goes on where a page has ended');
}

function limitArgument(text: string): number {
  const limit = countArgument(text);
  if (limit > MOST) throw new InvalidArgumentError(`At most ${MOST}.`);
  return limit;
}

/**
 * Adds `list`, which shows a queue as a table, or as an array of JSON with `--json`. @param given.all queue that
 * `--all` lists
 */
export function addQueueListing(
  group: Command,
  { console, run }: CommandContext,
  queue: Queue,
  { all }: { all?: Queue } = {},
): void {
  const command = group.command('list').description(`${queue.description}; the longest waiting first`);
  if (all) command.option('--all', all.description);
  withQueueOptions(command, queue)
    .option('--json', 'print a JSON array')
    .action((given: QueueOptions & { all?: boolean }) =>
      run(async (session) => {
        const chosen = given.all && all ? all : queue;
        const page = await queuePage(session, chosen, given);
        const records = page.items.map(({ record }) => record);
        show(console, given.json, records, queueTable(chosen, page, session.now()));
        if (page.next !== undefined) console.err(`There is more: --after ${page.next}`);
      }),
    );
}

/** @throws Problem 400 naming a filter that the queue does not have */
function queuePage(session: Session, queue: Queue, given: QueueOptions): Promise<WaitingPage> {
  const { client, kind, currency, olderThan, limit, after } = given;
  const before = olderThan === undefined ? undefined : new Date(session.now().getTime() - olderThan);
  return pageOfQueue(session, queue, { tenantId: client, kind, currency, before, after, limit });
}

function queueTable({ columns }: Queue, { items }: WaitingPage, now: Date): string {
  return table(
    [...columns, 'since', 'age'],
    items.map(({ cells, since }) => [
      ...cells,
      since.toISOString(),
      ageText((now.getTime() - since.getTime()) / 1000),
    ]),
  );
}
