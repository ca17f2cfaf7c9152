import { randomUUID } from 'node:crypto';
import { Argument, Command, CommanderError } from 'commander';
import { invalid } from '../../kernel/errors';
import type { CatalogueView } from '../http/catalogue-routes';
import { addAllowListCommands, type SigningKeys } from './allow-list';
import type { DeskClient } from './client';
import { completionScript, SHELLS, type Shell } from './completion';
import { type Console, show } from './console';
import { addDownload } from './download';
import { EXAMPLES } from './examples';
import { failureOf, tellFailure } from './failure';
import { addFind } from './find';
import { withLink } from './join';
import { addFields, fieldsOf, type ObjectSchema } from './options';
import {
  type ApprovalView,
  approvalTable,
  approvalText,
  type Counted,
  effectsText,
  type Outcome,
  outcomeText,
  overview,
  pointsText,
  rowsTable,
} from './render';
import { newProgram, type Place, SESSIONLESS, sessionProgram } from './session-program';
import { type ShownStory, storyText } from './story-text';

type DeskView = CatalogueView['desks'][number];
type ListView = DeskView['lists'][number];
type DecisionView = DeskView['decisions'][number];

/** Runs one command, which the desk's catalogue has made. @returns the exit code */
export async function runDeskProgram(argv: string[], console: Console, place: Place): Promise<number> {
  const json = argv.includes('--json');
  try {
    if (SESSIONLESS.includes(argv[0] ?? '')) {
      await sessionProgram(console, place).parseAsync(argv, { from: 'user' });
      return 0;
    }
    const { client, close } = await place.open();
    try {
      const catalogue = await client.get<CatalogueView>('/catalogue');
      await programOf(catalogue, { console, client, json, signingKeys: place.signingKeys }).parseAsync(argv, {
        from: 'user',
      });
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // help
    const failure = failureOf(error);
    if (json || !(error instanceof CommanderError)) tellFailure(console, json, failure); // otherwise printed already
    return failure.exitCode;
  }
}

interface Context {
  console: Console;
  client: DeskClient;
  json: boolean;
  signingKeys: SigningKeys;
}

/** The commands of the catalogue, such as `<desk> list` and `<noun> <verb> ID`, and the common commands. */
export function programOf(catalogue: CatalogueView, context: Context): Command {
  const program = newProgram(context.console, context.json)
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES);
  addOverview(program, catalogue, context);
  addShow(program, context);
  addFind(program, context);
  addApprovals(program, context);
  for (const desk of catalogue.desks) {
    addDeskLists(program, desk, context);
    for (const decision of desk.decisions) {
      const [group, verb] = placeOf(program, decision.name, desk.title);
      addDecision(group, verb, decision, context);
    }
    for (const { download } of desk.records) {
      const [noun = '', verb = ''] = download?.name.split('.') ?? [];
      if (download) addDownload(groupOf(program, noun, desk.title).command(verb), download, context);
    }
  }
  const allowLists = program.commands.find((command) => command.name() === 'allow-list');
  if (allowLists) addAllowListCommands(allowLists, context);
  addCompletion(program, context);
  return program;
}

/** `client.secret.add` is `client secret add`. */
function placeOf(program: Command, name: string, title: string): [group: Command, verb: string] {
  const groups = name.split('.');
  const verb = groups.pop() ?? '';
  return [groups.reduce((group, noun) => groupOf(group, noun, title), program), verb];
}

function addCompletion(program: Command, { console }: Context): void {
  program
    .command('completion')
    .description('a script that completes commands in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => console.out(completionScript(shell, program)));
}

const groupOf = (program: Command, name: string, description: string): Command =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).description(description);

function addOverview(program: Command, { desks }: CatalogueView, context: Context): void {
  const { console, client, json } = context;
  const group = program
    .command('desk')
    .description('what waits for a person: how much in each list, and how long')
    .option('--json', 'print an array of { "list", "count", "oldestSeconds" }')
    .action(async () => {
      const { values } = await client.get<{ values: Counted[] }>('/figures/waiting');
      const lists = [...new Set(values.map(({ labels }) => labels['list'] ?? ''))];
      const valueOf = (list: string, of: string) =>
        Number(values.find(({ labels }) => labels['list'] === list && labels['of'] === of)?.value ?? 0);
      const counts = lists.map((list) => ({
        list,
        count: valueOf(list, 'rows'),
        oldestSeconds: valueOf(list, 'oldest'),
      }));
      show(console, json, counts, overview(counts));
    });
  const list = group.command('list').description('the rows of a list');
  for (const each of desks.flatMap(({ lists }) => lists))
    addRows(list.command(each.name).description(each.title), each, context, 'page');
  const figure = group.command('figure').description('a figure of the desk');
  for (const { name, title } of desks.flatMap(({ figures }) => figures))
    figure
      .command(name)
      .description(title)
      .option('--json', 'print JSON')
      .action(async () => {
        const found = await client.get<{ values?: Counted[]; points?: Counted[] }>(`/figures/${name}`);
        show(console, json, found, pointsText(found.values ?? found.points ?? []));
      });
}

/** `<desk> list` shows the first list of a desk. A list may declare another verb. */
function addDeskLists(program: Command, { name, title, lists }: DeskView, context: Context): void {
  for (const [index, list] of lists.entries()) {
    const verb = list.verb ?? (index === 0 ? 'list' : null);
    if (verb === null) continue;
    const [group, last] = placeOf(program, `${name}.${verb}`, title);
    // Approvals have a list of their own, with the decided ones.
    if (group.commands.some((command) => command.name() === last)) continue;
    addRows(group.command(last).description(list.title), list, context, 'rows');
  }
}

interface ListOptions extends Record<string, unknown> {
  limit: string;
  after?: string;
  csv?: boolean;
}

/** @param shape of `--json`: the rows, or the page with its list and its next place */
function addRows(command: Command, list: ListView, context: Context, shape: 'rows' | 'page'): void {
  const { console, client, json } = context;
  const filters = list.filters as ObjectSchema;
  addFields(command, filters);
  command
    .option('--limit <number>', 'at most 1000', '100')
    .option('--after <place>', 'goes on where a page has ended')
    .option('--csv', 'print all rows as CSV')
    .option('--json', 'print JSON')
    .action(async ({ limit, after, csv, ...options }: ListOptions) => {
      const given = Object.entries(fieldsOf(filters, options)).map(
        ([name, value]) => [name, String(value)] as const,
      );
      const query = { ...Object.fromEntries(given), ...(after === undefined ? {} : { cursor: after }) };
      const path = `/lists/${list.name}`;
      if (csv) return console.out((await client.text(path, { ...query, format: 'csv' })).trimEnd());
      const page = await client.get<{ data: Record<string, never>[]; nextCursor: string | null }>(path, {
        ...query,
        limit,
      });
      const { data, nextCursor: next } = page;
      show(
        console,
        json,
        shape === 'rows' ? data : { list: list.name, items: data, next },
        rowsTable(list, data, new Date()),
      );
      if (next !== null && (shape === 'rows' || !json)) console.err(`There is more: --after ${next}`);
    });
}

interface ShowOptions {
  limit: string;
  reveal?: boolean;
  reason?: string;
}

function addShow(program: Command, { console, client, json }: Context): void {
  program
    .command('show <id>')
    .description('the whole story of any id: record, words, decisions, entries, webhooks, breaks, audit log')
    .option('--limit <lines>', 'of each list, the newest; at most 1000', '50')
    .option('--reveal', 'with what is masked: a beneficiary, an applicant; takes a --reason')
    .option('--reason <text>', 'why it is revealed: kept in the audit log')
    .option('--json', 'print all of it as JSON')
    .action(async (id: string, { limit, reveal, reason }: ShowOptions) => {
      const path = `/records/${encodeURIComponent(id)}`;
      if (reveal && reason === undefined) throw invalid('--reveal takes a --reason.', 'reason');
      const revealed = reveal ? (await client.post<object>(`${path}/reveal`, { reason })).body : undefined;
      const told = await client.get<ShownStory>(path, { lines: limit });
      const story = { ...told, ...(revealed ? { revealed } : {}) };
      show(console, json, story, storyText(story, new Date()));
    });
}

interface DecisionOptions extends Record<string, unknown> {
  reason?: string;
  version?: string;
  preview?: boolean;
  key?: string;
}

function addDecision(group: Command, verb: string, decision: DecisionView, context: Context): void {
  const { console, client, json } = context;
  const input = decision.input as ObjectSchema;
  const { only } = decision;
  const command = group.command(verb).description(decision.title);
  if (only === null) command.argument('<id>');
  addFields(command, input);
  command
    .option(
      '--reason <text>',
      decision.needsReason ? 'kept with the decision; required' : 'kept with the decision',
    )
    .option('--preview', 'shows what it would do, and does nothing')
    .option('--version <version>', 'of a preview: refused where something has changed since')
    .option('--key <key>', 'idempotency key, to repeat a decision whose answer was lost')
    .option('--json', 'print the result, or { "approval" }')
    .action(async () => {
      const { reason, version, preview, key, ...options } = command.opts<DecisionOptions>();
      const id = command.args[0] ?? only ?? '';
      const path = `/decisions/${decision.name}`;
      const asked = { subject: id, input: fieldsOf(input, options) };
      if (preview) {
        const { body } = await client.post<Parameters<typeof effectsText>[0]>(`${path}/preview`, asked);
        return show(console, json, body, effectsText(body));
      }
      if (decision.needsReason && reason === undefined) throw invalid('A --reason is required.', 'reason');
      const { body } = await client.post<Outcome>(path, { ...asked, reason, version }, key ?? randomUUID());
      const outcome = withLink(client.url, body);
      const { result, why: _, ...waits } = outcome;
      show(console, json, result ?? waits, outcomeText(id, outcome, decision));
    });
}

function addApprovals(program: Command, { console, client, json }: Context): void {
  const group = program.command('approval').description('what another operator has asked for, and takes two');
  group
    .command('list')
    .description('those that wait, the longest first')
    .option('--all', 'the decided ones too')
    .option('--json', 'print a JSON array')
    .action(async ({ all = false }: { all?: boolean }) => {
      const { data } = await client.get<{ data: ApprovalView[] }>('/approvals', { all: String(all) });
      show(console, json, data, approvalTable(data));
    });
  const decide = (verb: 'approve' | 'reject', description: string) =>
    group
      .command(`${verb} <id>`)
      .description(description)
      .option(
        '--reason <text>',
        verb === 'reject' ? 'kept with the decision; required' : 'kept with the decision',
      )
      .option('--key <key>', 'idempotency key, to repeat a decision whose answer was lost')
      .option('--json', 'print { "approval", "result" }')
      .action(async (id: string, { reason, key = randomUUID() }: DecisionOptions) => {
        if (verb === 'reject' && reason === undefined) throw invalid('A --reason is required.', 'reason');
        const path = `/approvals/${encodeURIComponent(id)}/${verb}`;
        const { body } = await client.post<{ approval: ApprovalView; result?: object }>(
          path,
          { reason },
          key,
        );
        show(console, json, body, approvalText(body));
      });
  decide('approve', 'does it, now, or once a second operator approves it too; who asked for it cannot');
  decide('reject', 'nothing is done; who asked for it may take it back so');
}
