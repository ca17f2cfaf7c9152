import { Decimal, formatAmount, ZERO } from '../../kernel/money/money';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { OperationResult } from './record';

/**
 * The part of an operation that a movement belongs to, by the movement's subtype. Fees are recognised by their type.
 */
const PRINCIPAL: readonly unknown[] = ['card_deposit', 'card_withdraw', 'card_closed_refund'];
const BUFFER: readonly unknown[] = ['card_buffer_deposit', 'card_buffer_refund'];
const DEBITS: readonly unknown[] = ['card_deposit', 'card_buffer_deposit'];

/** Sums the events of a posting, so that the result names exactly what was posted. */
export function resultOf(told: readonly WebhookEvent[], currency: string): OperationResult {
  const movements = told.filter(({ event }) => event === 'account_transaction').map(({ data }) => data);
  const isFee = ({ type }: WebhookEvent['data']) => type === 'fee';
  const sum = (counts: (data: WebhookEvent['data']) => boolean): string =>
    formatAmount(
      movements.filter(counts).reduce((all, { amount }) => all.plus(new Decimal(String(amount))), ZERO),
      currency,
    );
  return {
    principal: sum(({ subtype }) => PRINCIPAL.includes(subtype)),
    buffer: sum(({ subtype }) => BUFFER.includes(subtype)),
    fee: sum(isFee),
    totalDebit: sum((data) => isFee(data) || DEBITS.includes(data['subtype'])),
    currency,
    accountTransactionIds: movements.map(({ id }) => id),
    cardTransactionIds: told.filter(({ event }) => event === 'card_transaction').map(({ data }) => data.id),
  };
}
