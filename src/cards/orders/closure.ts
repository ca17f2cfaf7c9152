import type { Tx } from '../../kernel/db/database';
import type { ClosureWord } from '../../parties/card-processor/word';
import { advanceOrder } from '../../parties/orders/advance';
import type { OrderKind } from '../../parties/orders/kind';
import { openOperationOf } from '../buffered/operations';
import { lookAtOperation } from '../buffered/workflows';
import { confirmClosure, findCard, lockCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { isClosed } from '../cards/rules';
import { closure } from '../cards/workflows';
import type { CardEventDeps } from '../events/load-board';
import { carryOut } from '../requests/carry-out';
import type { CardServices } from '../services';
import { CONTRADICTED, describeContradiction, PROCESSOR, referenceOf } from './processor';

/** The order that closes a card. A refused closure is sent again, because only the processor's confirmation ends it. */
export const closureOrder: OrderKind<CardServices, Card, ClosureWord> = {
  ...PROCESSOR,
  process: closure,
  keys: /^close-(card_\w+)$/,
  keyOf: ({ id }) => `close-${id}`,
  find: (sql, id) => findCard(sql, null, id),
  lock: lockCard,
  isOpen: ({ status, processorClosedAt }) => isClosed(status) && processorClosedAt === null,
  /** `unknown_to_party` when the card was never issued. */
  status: ({ processorClosedAt }) => (processorClosedAt === null ? 'open' : 'confirmed'),
  async ask({ parties }, { processorReference: reference }, key) {
    return reference === null ? 'unknown_to_party' : parties.cardProcessor.closure({ key, reference });
  },
  prepare({ parties }, card, order) {
    const reference = referenceOf(card);
    return () => parties.cardProcessor.close({ ...order, reference });
  },
  conclude: concludeClosure,
  afterEnd: {
    contradicted: CONTRADICTED,
    subject: ({ id }) => id,
    wasGiven: ({ processorClosedAt }) => processorClosedAt !== null,
    contradiction({ status, processorClosedAt }, word) {
      if (processorClosedAt === null) return describeContradiction(status, word.status);
      return word.status === 'closed' ? undefined : describeContradiction('closed', word.status);
    },
  },
};

export const closeAtProcessor = (services: CardServices, cardId: string) =>
  advanceOrder(services, closureOrder, cardId);

/** Confirms a closure and completes the client's operation, if there is one. The caller holds the card's lock. */
export async function concludeClosure(
  services: CardEventDeps & Pick<CardServices, 'commands' | 'now'>,
  tx: Tx,
  { id }: Card,
): Promise<void> {
  await confirmClosure(tx, id, services.now());
  const operation = await openOperationOf(tx, id, 'close');
  if (!operation) return; // the closure was not requested by `DELETE /v2/cards/{id}`
  await carryOut(services, tx, operation);
  services.commands.append(tx, [lookAtOperation(operation)]);
}
