import { createGatherer } from '../../src/cards/events/batches/gather';
import { recordCardEvent } from '../../src/cards/events/operations';
import type { CardTransaction, Message } from '../../src/cards/events/record';
import type { Composed } from '../../src/composition';
import type { Tx } from '../../src/kernel/db/database';
import { Problem } from '../../src/kernel/errors';
import {
  fingerprint,
  type IdempotencyKey,
  type KeyedAnswer,
  keyIn,
  withKey,
} from '../../src/kernel/idempotency';
import type { Via } from './script';

/** An answer: the event of the message, no event if it had no effect any more, or a refusal. */
export interface Told {
  transactionId?: string;
  type?: string;
  reason?: string | null;
  referenceId?: string;
  /** Whether the event opened a chain that later messages may name. */
  opens?: boolean;
  billing?: string;
  code?: string;
  status: number;
}

export interface Answer extends Told {
  /** The body that is stored under the key. Absent if the answer is not stored. */
  body?: string;
  replayed: boolean;
}

export type Submit = (via: Via, message: Message, key?: IdempotencyKey) => Promise<Answer>;

/** The idempotency key of a message, as `POST /sandbox/transactions` and the card endpoints make it. */
export function keyFor(message: Message, name: string, altered = false): IdempotencyKey {
  return keyIn({
    tenantId: message.reach ?? 'nobody',
    scope: 'POST /proof',
    key: name,
    fingerprint: fingerprint({ ...message, altered }, {}),
    permanent: false,
  });
}

/**
 * The two ways to the engine over the same database: a transaction of its own, as the API's writing routes use it, and
 * gatherers. Two gatherers stand for two processes. A refusal (4xx) is an answer. Any other error is thrown.
 */
export function createSubmit(services: Composed): Submit {
  const gatherers = { gathered: gatherer(services), 'gathered elsewhere': gatherer(services) };
  return async (via, message, key) => {
    try {
      const answer =
        via === 'transaction' ? await alone(services, message, key) : await gatherers[via](message, key);
      return {
        ...(JSON.parse(answer.body) as Told),
        replayed: answer.replayed,
        ...(key && { body: answer.body }),
      };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { status: error.status, code: error.code, replayed: false };
    }
  };
}

/** Does other work in a transaction of its own. A refusal (4xx) is an answer. */
export async function attempt<T>(
  { database }: Pick<Composed, 'database'>,
  work: (tx: Tx) => Promise<T>,
): Promise<{ answer: Answer; value?: T }> {
  try {
    return { answer: { status: 201, replayed: false }, value: await database.transaction(work) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { answer: { status: error.status, code: error.code, replayed: false } };
  }
}

function gatherer(services: Composed) {
  const { submit } = createGatherer(services.database, services);
  return (message: Message, key?: IdempotencyKey) =>
    submit({ message, key, render: ({ transaction }) => rendered(transaction), refuse: refused });
}

async function alone(services: Composed, message: Message, key?: IdempotencyKey): Promise<KeyedAnswer> {
  const work = async (tx: Parameters<typeof recordCardEvent>[0]) =>
    rendered((await recordCardEvent(tx, services, message)).transaction);
  if (key) return withKey(services.database, key, work, refused);
  return { ...(await services.database.transaction(work)), replayed: false };
}

function rendered(transaction: CardTransaction | undefined) {
  const told: Told = {
    status: 201,
    transactionId: transaction?.id,
    type: transaction?.type,
    reason: transaction?.declineReason,
    referenceId: transaction?.referenceId,
    opens: transaction?.authorizationId != null,
    billing: transaction && `${transaction.billingAmount.toFixed()} ${transaction.billingCurrency}`,
  };
  return { status: 201, body: JSON.stringify(told) };
}

function refused(problem: Problem) {
  return { status: problem.status, body: JSON.stringify({ status: problem.status, code: problem.code }) };
}
