import { move } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { Problem } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { holdEntry } from '../../kernel/ledger/entries';
import { type LOST, unlessLost } from '../../process/lost-record';
import { endOperation, moveOperation } from '../buffered/end-operation';
import { operationOfWorkflow, requireOperation } from '../buffered/operations';
import { type CardOperation, type OperationStatus, totalDebit } from '../buffered/record';
import { isFinal } from '../buffered/rules';
import { requireLockedCard } from '../cards/operations';
import type { Card } from '../cards/record';
import type { CardEventDeps } from '../events/load-board';
import { recordCardEvent } from '../events/operations';
import type { Message } from '../events/record';
import type { CardServices } from '../services';

/**
 * Carries out an operation as far as possible. Posts once what needs no processor, and otherwise waits for the card
 * processor. Idempotent.
 * @returns the status of the operation, or `lost`
 */
export function carryOutOperation(
  services: CardServices,
  id: string,
): Promise<OperationStatus | typeof LOST> {
  return unlessLost(services.database, async () => {
    const operation = await operationOfWorkflow(services.database, id);
    return services.database.transaction((tx) => carryOut(services, tx, operation));
  });
}

/** Carries out an operation in the caller's transaction. */
export async function carryOut(
  services: CarryOutDeps,
  tx: Tx,
  { id, cardId }: Pick<CardOperation, 'id' | 'cardId'>,
): Promise<OperationStatus> {
  const card = await requireLockedCard(tx, cardId);
  const operation = await requireOperation(tx, null, id); // read again under the card's lock
  if (isFinal(operation.status)) return operation.status;
  const message = messageOf(operation, card);
  if (message) return (await post(services, tx, operation, message)).status;
  if (operation.status === 'accepted') await moveOperation(services, tx, operation, 'wait');
  return 'processing';
}

type CarryOutDeps = CardEventDeps & Pick<CardServices, 'now'>;

/** Posts an operation. If it is no longer possible, the operation fails and its hold is released. */
async function post(
  services: CarryOutDeps,
  tx: Tx,
  operation: CardOperation,
  message: Message,
): Promise<CardOperation> {
  try {
    const { told } = await recordCardEvent(tx, services, message);
    return await endOperation(services, tx, operation, { told });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 409) throw error;
    await release(tx, operation);
    const { code, message } = error;
    return endOperation(services, tx, operation, { failure: { code, message } });
  }
}

/**
 * The card event that posts an operation; undefined while the card processor must decide. A closure is posted once it
 * is confirmed. An issuance is posted with the processor's answer (`orders/issuance.ts`).
 */
function messageOf(operation: CardOperation, { processorClosedAt }: Card): Message | undefined {
  const { id, cardId, idempotencyKey, type } = operation;
  const of = { cardId, idempotencyKey, reach: null };
  switch (type) {
    case 'issue':
      return undefined;
    case 'close':
      return processorClosedAt === null ? undefined : { ...of, type: 'end_closure' };
    case 'topup':
      return { ...of, type: 'fund', funding: operation };
    case 'withdraw':
      throw new Error(`the withdrawal ${id} was not posted when it was accepted`);
  }
}

async function release(tx: Tx, operation: CardOperation): Promise<void> {
  const { accountId, type } = operation;
  if (type !== 'topup') return;
  const held = holdEntry(accountId, 'transfer/card_funding', totalDebit(operation), newId('reference'));
  await move(tx, { entries: [held] }, {});
}
