import { notFound } from '../kernel/errors';
import { listedByReference } from '../kernel/ledger/by-reference';
import { findMovement } from '../kernel/ledger/movements';
import { commonLists, line } from '../process/desk/common-lists';
import { type Story, storyOf } from '../process/desk/story';
import { historyPage } from './accounts/history';
import { requireAccount } from './accounts/operations';
import type { AccountServices } from './accounts/services';
import { accountTransactionView, accountViews } from './accounts/view';
import { findExchange } from './exchange/operations';
import { exchangeFields } from './exchange/view';

export type StoryServices = Pick<AccountServices, 'database' | 'linksOf'>;

/** The newest account transactions, oldest first. The list has one more than the limit when there are more. */
export async function accountLines(services: StoryServices, id: string, limit: number) {
  const page = await historyPage(services, [id], { limit: limit + 1 });
  return page.data.map(({ accountId: _, ...each }) => each).reverse();
}

/** References of account or card transactions, each once. */
export const referencesOf = (lines: readonly { referenceId: string }[]): string[] => [
  ...new Set(lines.map(({ referenceId }) => referenceId)),
];

export async function accountStory(services: StoryServices, id: string, limit: number): Promise<Story> {
  const { database } = services;
  const account = await requireAccount(database, null, id);
  const [record] = await accountViews(database, [account]);
  const transactions = await accountLines(services, id, limit);
  return storyOf(
    id,
    {
      what: 'account',
      tenantId: account.tenantId,
      status: account.status,
      since: account.updatedAt.toISOString(),
      record: record ?? {},
    },
    { ...(await commonLists(database, { id, references: referencesOf(transactions) }, limit)), transactions },
    limit,
  );
}

/** An account transaction with the others of its reference and its webhook. */
export async function accountTransactionStory(
  { database, linksOf }: StoryServices,
  id: string,
  limit: number,
): Promise<Story> {
  const found = await findMovement(database, id);
  if (!found) throw notFound('account transaction');
  const { accountId, tenantId, number, at, type, currency, available, pending, balance } = found;
  const [reference, subtype] = [found.referenceId ?? '', found.subtype ?? undefined];
  const entry = { id, account: accountId, type, subtype, reference, at, available, pending, balance };
  const linkedId = (await linksOf(database, [reference])).get(reference);
  const entries = await listedByReference(database, reference, limit + 1);
  return storyOf(
    id,
    {
      what: 'account transaction',
      tenantId,
      status: null,
      since: at.toISOString(),
      record: { ...accountTransactionView(entry, currency, linkedId), entryNumber: Number(number) },
    },
    {
      ...(await commonLists(database, { id, references: [reference] }, limit)),
      entries: entries.map(line),
    },
    limit,
  );
}

/** An exchange between two accounts, which completes when it is created. */
export async function exchangeStory(
  { database }: StoryServices,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const exchange = await findExchange(database, id);
  if (!exchange) return undefined;
  const { tenantId, remainder } = exchange;
  const { createdAt, ...record } = exchangeFields(exchange);
  const entries = await listedByReference(database, id, limit + 1);
  return storyOf(
    id,
    {
      what: 'account exchange',
      tenantId,
      status: 'completed',
      since: createdAt,
      record: { ...record, remainder: remainder.toFixed() },
    },
    { ...(await commonLists(database, { id, references: [id] }, limit)), entries: entries.map(line) },
    limit,
  );
}
