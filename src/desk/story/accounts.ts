import { historyPage as accountHistory } from '../../accounts/accounts/history';
import { requireAccount } from '../../accounts/accounts/operations';
import { accountViews } from '../../accounts/accounts/view';
import { findExchange } from '../../accounts/exchange/operations';
import { exchangeFields } from '../../accounts/exchange/view';
import { requireOperation } from '../../cards/buffered/operations';
import { startOperation } from '../../cards/buffered/workflows';
import { requireCard } from '../../cards/cards/operations';
import { requireTokenization } from '../../cards/cards/tokenization';
import { startClosure, startIssuance, startTokenization } from '../../cards/cards/workflows';
import { findChallenge } from '../../cards/challenges/operations';
import { challengeView } from '../../cards/challenges/view';
import { startSending } from '../../cards/challenges/workflows';
import {
  historyPage as cardHistory,
  transactionsByReference,
  transactionWithChain,
} from '../../cards/events/history';
import { findKept } from '../../cards/processor/operations';
import { startUnanswered } from '../../cards/processor/workflows';
import { bufferedCard, operationView } from '../../cards/requests/view';
import { notFound } from '../../kernel/errors';
import { readBalances } from '../../kernel/ledger/accounts';
import { listedByReference } from '../../kernel/ledger/by-reference';
import { formatAmount } from '../../kernel/money/money';
import { commonLists, line } from '../../process/desk/common-lists';
import type { DeskDeps } from '../../process/desk/story';
import { type Line, storyOf, type Teller } from '../../process/desk/story';
import { linksOf, transferOfReference } from '../../transfers/engine/read';
import { findVirtualIbanById } from '../../transfers/iban/virtual-ibans/capability';

/** The newest account transactions, oldest first. One more than the limit when there are more. */
async function accountLines({ database }: DeskDeps, id: string, limit: number) {
  const page = await accountHistory({ database, linksOf }, [id], { limit: limit + 1 });
  return page.data.map(({ accountId: _, ...each }) => each).reverse();
}

const referencesOf = (lines: readonly { referenceId: string }[]): string[] => [
  ...new Set(lines.map(({ referenceId }) => referenceId)),
];

export const tellAccount: Teller = async (deps, id, limit) => {
  const { database } = deps;
  const account = await requireAccount(database, null, id);
  const [record] = await accountViews(database, [account]);
  const transactions = await accountLines(deps, id, limit);
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
};

export const tellVirtualIban: Teller = async (deps, id, limit) => {
  const { database } = deps;
  const found = await findVirtualIbanById(database, null, id);
  if (!found) return undefined;
  const { tenantId, status, iban, bic, createdAt, updatedAt } = found;
  const balance = (await readBalances(database, [id])).get(id);
  const transactions = await accountLines(deps, id, limit);
  return storyOf(
    id,
    {
      what: 'virtual IBAN',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      record: {
        iban,
        bic,
        createdAt: createdAt.toISOString(),
        currency: 'EUR',
        ...(balance ? { available: formatAmount(balance.available, 'EUR') } : {}),
      },
    },
    { ...(await commonLists(database, { id, references: referencesOf(transactions) }, limit)), transactions },
    limit,
  );
};

export const tellCard: Teller = async ({ database }, id, limit) => {
  const card = await requireCard(database, null, id);
  const { tenantId, status, updatedAt, processorReference, userBlocked, tenantStopped } = card;
  const page = await cardHistory(database, [id], { limit: limit + 1 });
  const transactions = page.data.reverse();
  const { workflowId } =
    status === 'closing' || status === 'closed' ? startClosure(card) : startIssuance(card);
  const references = referencesOf(transactions);
  return storyOf(
    id,
    {
      what: 'card',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      workflowId,
      record: { ...(await bufferedCard(database, card)), processorReference, userBlocked, tenantStopped },
    },
    {
      ...(await commonLists(database, { id, references, workflowId }, limit)),
      transactions: transactions.map(line),
    },
    limit,
  );
};

export const tellCardTransaction: Teller = async ({ database }, id, limit) => {
  const shown = await transactionWithChain(database, null, id);
  const { chain = [], ...record } = 'chain' in shown ? shown : { ...shown, chain: [] };
  const lists = await commonLists(database, { id, references: [shown.referenceId] }, limit);
  return storyOf(
    id,
    { what: 'card transaction', tenantId: null, status: null, since: shown.timestamp, record },
    { ...lists, transactions: chain.map(line) },
    limit,
  );
};

export const tellTokenization: Teller = async ({ database }, id, limit) => {
  const tokenization = await requireTokenization(database, id);
  const { tenantId, status, cardId, wallet, failure } = tokenization;
  const { workflowId } = startTokenization(tokenization);
  return storyOf(
    id,
    {
      what: 'tokenization',
      tenantId,
      status,
      since: null,
      workflowId,
      record: line({ cardId, wallet, failure }),
    },
    await commonLists(database, { id, workflowId }, limit),
    limit,
  );
};

export const tellCardOperation: Teller = async ({ database }, id, limit) => {
  const operation = await requireOperation(database, null, id);
  const { tenantId, status, updatedAt } = operation;
  const { workflowId } = startOperation(operation);
  return storyOf(
    id,
    {
      what: 'card operation',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      workflowId,
      record: operationView(operation),
    },
    await commonLists(database, { id, workflowId }, limit),
    limit,
  );
};

/** A message of the card processor that was stored with its answer. */
export const tellProcessorMessage: Teller = async ({ database }, id, limit) => {
  const kept = await findKept(database, id);
  if (!kept) return undefined;
  const { tenantId, reason, message, status: answered, dueBy, settledAt } = kept;
  const { workflowId } = startUnanswered({ id, tenantId });
  return storyOf(
    id,
    {
      what: 'processor message',
      tenantId,
      status: settledAt ? 'settled' : reason,
      workflowId,
      since: (settledAt ?? dueBy).toISOString(),
      dueBy: settledAt ? null : dueBy.toISOString(),
      record: line({ reason, answered, ...message }),
    },
    await commonLists(database, { id, workflowId }, limit),
    limit,
  );
};

/** A 3-D Secure challenge with the mail of its present code. */
export const tellChallenge: Teller = async ({ database, now }, id, limit) => {
  const challenge = await findChallenge(database, { id });
  if (!challenge) return undefined;
  const { tenantId, cardId, merchant, updatedAt } = challenge;
  const { status, ...record } = challengeView(challenge, now());
  const { workflowId } = startSending(challenge);
  return storyOf(
    id,
    {
      what: 'challenge',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      workflowId,
      record: line({ ...record, cardId, merchant }),
    },
    await commonLists(database, { id, workflowId }, limit),
    limit,
  );
};

/** An exchange between two accounts, which completes when it is created. */
export const tellAccountExchange: Teller = async ({ database }, id, limit) => {
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
};

/** Entries and webhooks of one reference. */
export const tellReference: Teller = async ({ database }, id, limit) => {
  const legs = await listedByReference(database, id, limit + 1);
  const cardSide: object[] = await transactionsByReference(database, id);
  const transfer = await transferOfReference(database, id);
  const lists = await commonLists(database, { id, references: [id] }, limit);
  if (legs.length + cardSide.length === 0 && transfer === undefined) throw notFound('reference');
  const entries: Line[] = legs.map(line);
  return storyOf(
    id,
    {
      what: 'reference',
      tenantId: null,
      status: null,
      since: legs[0]?.at.toISOString() ?? null,
      record: transfer === undefined ? {} : { transfer },
    },
    { ...lists, entries, transactions: cardSide.map(line) },
    limit,
  );
};
