import type { Played } from '../play';
import { isReleased } from './consequences';
import type { Records, TransactionRow } from './records';

/** The situations that a script has reached, in words. A test of many scripts requires some of them. */
export function reachedBy(
  { transactions, operations, exchanges, entries }: Records,
  { heard }: Played,
  asked: ReadonlySet<string>,
): string[] {
  const refunds = entries.filter(({ subtype }) => subtype === 'card_buffer_refund');
  return [
    ...transactions.flatMap((event, index) => wordsOf(event, transactions[index - 1], asked)),
    ...operations.map(({ type, status, failure }) => [type, status, failure?.code].filter(Boolean).join(' ')),
    ...heard.map(({ message, answer }) => `${message.event}: ${answer.type ?? answer.code ?? 'nothing'}`),
    ...refunds.map(() => 'a buffer goes back'),
    ...exchanges.map(() => 'an exchange'),
  ];
}

function wordsOf(
  event: TransactionRow,
  before: TransactionRow | undefined,
  asked: ReadonlySet<string>,
): string[] {
  const { type, source, forced } = event;
  if (isReleased(event, before, asked)) return ['released at once'];
  if (type === 'withdraw' && source === 'buffer') return ['a buffer is filled again'];
  if (type !== 'topup' || source !== 'buffer')
    return [[forced && 'forced', type, source].filter(Boolean).join(' ')];
  return [before?.available.lt(0) ? 'a buffer pays what is owed' : 'a buffer is drawn'];
}
