import type { Tx } from '../../kernel/db/database';
import { ZERO } from '../../kernel/money/money';
import type { CardWord } from '../../parties/card-processor/word';
import { advanceOrder } from '../../parties/orders/advance';
import type { OrderKind } from '../../parties/orders/kind';
import { endOperation } from '../buffered/end-operation';
import { openOperationOf } from '../buffered/operations';
import { lookAtOperation } from '../buffered/workflows';
import { findCard, keepProcessorReference, lockCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { issuance } from '../cards/workflows';
import type { CardEventDeps } from '../events/load-board';
import { recordCardEvent } from '../events/operations';
import type { CardServices } from '../services';
import { CONTRADICTED, describeContradiction, PROCESSOR } from './processor';

/** The order that issues a card. Only the processor's refusal fails the card; a time-out does not. */
export const issuanceOrder: OrderKind<CardServices, Card, CardWord> = {
  ...PROCESSOR,
  process: issuance,
  keys: /^issue-(card_\w+)$/,
  keyOf: ({ id }) => `issue-${id}`,
  find: (sql, id) => findCard(sql, null, id),
  lock: lockCard,
  isOpen: ({ status }) => status === 'pending',
  status: ({ status }) => status,
  ask: ({ parties }, _, key) => parties.cardProcessor.issuance(key),
  prepare:
    ({ parties }, { bin, currency, cardholderId, label }, order) =>
    () =>
      parties.cardProcessor.issue({ ...order, bin, currency, cardholderId, label }),
  refused: (failureCode) => ({ status: 'failed', failureCode }),
  conclude: concludeIssuance,
  afterEnd: {
    contradicted: CONTRADICTED,
    subject: ({ id }) => id,
    contradiction({ status, processorReference }, word) {
      if (status === 'failed')
        return word.status === 'failed' ? undefined : describeContradiction(status, word.status);
      if (word.status !== 'issued') return describeContradiction('issued', word.status);
      return word.reference === processorReference
        ? undefined
        : describeContradiction('issued', 'issued as another card');
    },
    async keep(tx, { id, status }, word) {
      if (status === 'failed' && word.status === 'issued')
        await keepProcessorReference(tx, id, word.reference);
    },
  },
};

export const orderCard = (services: CardServices, cardId: string) =>
  advanceOrder(services, issuanceOrder, cardId);

type Decision = Exclude<CardWord, { status: 'processing' }>;

/** Ends an issuance, and the client's operation when the card has a buffer. The caller holds the card's lock. */
export async function concludeIssuance(
  services: CardEventDeps & Pick<CardServices, 'commands' | 'now'>,
  tx: Tx,
  { id: cardId, idempotencyKey }: Card,
  word: Decision,
): Promise<void> {
  const operation = await openOperationOf(tx, cardId, 'issue');
  const of = { cardId, reach: null, idempotencyKey, buffer: operation?.buffer ?? ZERO };
  const event = eventOf(word);
  const { told } = await recordCardEvent(tx, services, { ...of, ...event });
  if (!operation) return;
  await endOperation(services, tx, operation, event.type === 'issue' ? { told } : notIssued(event.failure));
  services.commands.append(tx, [lookAtOperation(operation)]);
}

function eventOf(word: Decision) {
  if (word.status === 'failed')
    return { type: 'issue_failed', failure: word.failureCode ?? 'processor_refused' } as const;
  const { reference, last4, expiryMonth, expiryYear } = word;
  return { type: 'issue', processor: { reference, last4, expiryMonth, expiryYear } } as const;
}

const notIssued = (code: string) => ({
  failure: { code, message: 'The card processor has not issued the card.' },
});
