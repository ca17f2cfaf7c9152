import { z } from 'zod';
import { moneyText } from '../../kernel/money/money';
import { text } from '../../kernel/wire/schemas';
import { commonLists, line } from '../desk/common-lists';
import { type Decision, decision, type SubjectSpec } from '../desk/decision';
import { type Desk, defineDesk } from '../desk/desk';
import { columnsOf, type List, list } from '../desk/list';
import { record } from '../desk/record';
import { type DeskDeps, type Story, storyOf } from '../desk/story';
import { waitingFilterOf, waitingFilters } from '../desk/waiting-filters';
import { assertOpen, countBreaks, findBreak, listBreaks, resolveBreak } from './operations';
import type { Break } from './record';
import { lockBreak } from './store';
import { breakView } from './view';

/** The desk of breaks: money and messages that match no record. Other decisions move the money. */
export const breakDesk = (deps: DeskDeps): Desk =>
  defineDesk({
    name: 'breaks',
    title: 'Money and messages that match no record',
    lists: [openBreaks(deps), allBreaks(deps)],
    records: [
      record({ kind: 'break', title: 'A break', story: (id, limit) => storyOfBreak(deps, id, limit) }),
    ],
    decisions: [resolveOne],
  });

const columns = columnsOf<Break>();
const shown = {
  id: columns.id('id', ({ id }) => id),
  kind: columns.text('kind', ({ kind }) => kind),
  subject: columns.id('subject', ({ subject }) => subject),
  detail: columns.text('detail', ({ detail }) => detail),
  amount: columns.money('amount', ({ amount, currency }) =>
    amount && currency ? { amount, currency } : null,
  ),
  client: columns.id('client', ({ tenantId }) => tenantId),
  since: columns.since('since', ({ createdAt }) => createdAt),
};
const filters = waitingFilters({ kind: 'The kind of break.', currency: true });
const place = ({ id, createdAt }: Break) => ({ since: createdAt, id });

const openBreaks = ({ database, now }: DeskDeps): List =>
  list({
    name: 'breaks',
    title: 'money and messages that match no record; breaks of suspense are resolved by themselves',
    filters,
    columns: shown,
    rows: (page) => listBreaks(database, waitingFilterOf(page, now())),
    place,
    waitsSince: (sql) => countBreaks(sql),
    fails: true,
    decisions: ['breaks.resolve'],
  });

const allBreaks = ({ database, now }: DeskDeps): List =>
  list({
    name: 'breaks-all',
    title: 'open and resolved breaks, oldest first',
    filters,
    columns: {
      ...shown,
      resolved: columns.time('resolved', ({ resolvedAt }) => resolvedAt),
      resolvedBy: columns.text('resolved by', ({ resolvedBy }) => resolvedBy),
      note: columns.text('note', ({ note }) => note),
    },
    rows: (page) => listBreaks(database, { ...waitingFilterOf(page, now()), all: true }),
    place,
  });

const breaks: SubjectSpec<Break> = {
  noun: 'break',
  kinds: ['break'],
  read: (sql, id) => findBreak(sql, id),
  lock: (tx, id) => lockBreak(tx, id),
  tenantOf: ({ tenantId }) => tenantId,
};

const amountOf = ({ amount, currency }: Break): string | null =>
  amount && currency && moneyText({ amount, currency });

const resolveOne: Decision = decision<Break, { note: string }>({
  name: 'breaks.resolve',
  title: 'says what became of it; money is moved by other decisions',
  permission: 'money',
  subject: breaks,
  input: z.strictObject({
    note: text(500).trim().min(1).meta({ description: 'What was found and done.' }),
  }),
  reason: 'optional',
  restsOn: (found) => ({ status: found.resolvedAt ? 'resolved' : 'open', amount: amountOf(found) }),
  async preview(_, { subject }) {
    assertOpen(subject);
    return [
      { field: 'status', from: 'open', to: 'resolved' },
      { field: 'amount in breaks', from: amountOf(subject), to: null },
    ];
  },
  async execute(tx, { id, input: { note }, at }, { decidedBy }) {
    const resolved = await resolveBreak(tx, { id, note, resolvedBy: decidedBy, at });
    const { kind, subject } = resolved;
    return { after: { kind, subject, note }, result: { ...breakView(resolved), status: 'resolved' } };
  },
});

async function storyOfBreak({ database }: DeskDeps, id: string, limit: number): Promise<Story | undefined> {
  const found = await findBreak(database, id);
  if (!found) return undefined;
  const { tenantId, resolvedAt, createdAt } = found;
  return storyOf(
    id,
    {
      what: 'break',
      tenantId,
      status: resolvedAt ? 'resolved' : 'open',
      since: (resolvedAt ?? createdAt).toISOString(),
      record: line(breakView(found)),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
}
