import { referencesOf } from '../accounts/stories';
import { commonLists, line } from '../process/desk/common-lists';
import { storyOf, type Teller } from '../process/desk/story';
import { requireOperation } from './buffered/operations';
import { startOperation } from './buffered/workflows';
import { requireCard } from './cards/operations';
import { requireTokenization } from './cards/tokenization';
import { startClosure, startIssuance, startTokenization } from './cards/workflows';
import { findChallenge } from './challenges/operations';
import { challengeView } from './challenges/view';
import { startSending } from './challenges/workflows';
import { historyPage, transactionWithChain } from './events/history';
import { findKept } from './processor/operations';
import { startUnanswered } from './processor/workflows';
import { bufferedCard, operationView } from './requests/view';

export const cardStory: Teller = async ({ database }, id, limit) => {
  const card = await requireCard(database, null, id);
  const { tenantId, status, updatedAt, processorReference, userBlocked, tenantStopped } = card;
  const page = await historyPage(database, [id], { limit: limit + 1 });
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

export const cardTransactionStory: Teller = async ({ database }, id, limit) => {
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

export const tokenizationStory: Teller = async ({ database }, id, limit) => {
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

export const cardOperationStory: Teller = async ({ database }, id, limit) => {
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
export const processorMessageStory: Teller = async ({ database }, id, limit) => {
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
export const challengeStory: Teller = async ({ database, now }, id, limit) => {
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
