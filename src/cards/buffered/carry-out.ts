import { move } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { conflict, Problem } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { holdEntry } from '../../kernel/ledger/entries';
import { requireLockedCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { recordCardEvent } from '../events/operations';
import type { Message } from '../events/record';
import type { CardServices } from '../services';
import { endOperation, moveOperation } from './end';
import { requireOperation } from './operations';
import { type CardOperation, type OperationStatus, totalDebit } from './record';
import { isFinal } from './rules';

/**
 * Takes an operation as far as it goes now: what is ours alone is posted, once; what the card processor ends is waited for.
 * @returns its status; idempotent
 */
export async function carryOutOperation(services: CardServices, id: string): Promise<OperationStatus> {
  const { database } = services;
  const { cardId } = await requireOperation(database, null, id);
  return database.transaction(async (tx) => {
    const card = await requireLockedCard(tx, cardId);
    const operation = await requireOperation(tx, null, id); // under the card's lock
    if (isFinal(operation.status)) return operation.status;
    if (canBePosted(operation, card)) return (await post(services, tx, card, operation)).status;
    if (operation.status === 'accepted') await moveOperation(services, tx, operation, 'wait');
    return 'processing';
  });
}

/** What can no more be done fails, and what was held for it is released. */
async function post(
  services: CardServices,
  tx: Tx,
  { status }: Card,
  operation: CardOperation,
): Promise<CardOperation> {
  try {
    if (status === 'failed') throw conflict('card_not_active', 'The card processor has not issued the card.');
    const { told } = await recordCardEvent(tx, services, messageOf(operation));
    return await endOperation(services, tx, operation, { told });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 409) throw error;
    await release(tx, operation);
    const { code, message } = error;
    return endOperation(services, tx, operation, { failure: { code, message } });
  }
}

/**
 * A closure is posted when it has been confirmed, an issuance with the processor's word (`issuance/order.ts`): one that is open on
 * a card that is decided was posted by a process of the release before, but for the buffer.
 */
function canBePosted({ type }: CardOperation, { status, processorClosedAt }: Card): boolean {
  if (type === 'close') return processorClosedAt !== null;
  return type !== 'issue' || status !== 'pending';
}

function messageOf(operation: CardOperation): Message {
  const { cardId, idempotencyKey, type, principal } = operation;
  const of = { cardId, idempotencyKey, reach: null };
  if (type === 'close') return { ...of, type: 'end_closure' };
  if (type === 'issue') return { ...of, type: 'set_aside', buffer: operation.buffer };
  return type === 'topup'
    ? { ...of, type: 'fund', funding: operation }
    : { ...of, type: 'withdraw', amount: principal };
}

async function release(tx: Tx, operation: CardOperation): Promise<void> {
  const { accountId, type, buffer } = operation;
  const reference = newId('reference');
  const held = {
    topup: holdEntry(accountId, 'transfer/card_funding', totalDebit(operation), reference),
    issue: holdEntry(accountId, 'transfer/card_issue', buffer, reference),
    withdraw: undefined,
    close: undefined,
  }[type];
  if (held) await move(tx, { entries: [held] }, {});
}
