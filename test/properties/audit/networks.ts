import type { Played } from '../play';
import type { Records } from './records';

/** What may come of what a network says; `''`: nothing moved. */
const TELLS: Record<string, string[]> = {
  authorization: ['authorization', 'decline', ''],
  advice: ['authorization', ''],
  clearing: ['settle'],
  reversal: ['cancel', ''],
  refund: ['refund'],
};
/** More than any card can be charged, and keys that another request has. */
const REFUSALS = ['limit_exceeded', 'idempotency_in_progress', 'idempotency_mismatch'];
/** Only what absurd amounts come to is refused. */
const ABSURD = 1_000_000;

/** A network's message is never refused, has one event of its own at most, and what it clears or refunds is moved whole. */
export function auditNetworks({ cards, transactions }: Records, { heard }: Played): string[] {
  const owners = new Map(cards.map(({ id, tenant_id: tenant }) => [id, tenant]));
  const events = new Map(transactions.map((event) => [event.id, event]));
  const known = new Set<string>();
  return heard.flatMap(({ text, message, answer }) => {
    const { status, code = '', type = '', transactionId } = answer;
    if (message.reach !== owners.get(message.cardId)) return []; // a stranger's
    if (status >= 300) {
      const isRefused = code !== 'limit_exceeded' || message.amount.gt(ABSURD);
      return REFUSALS.includes(code) && isRefused ? [] : [`${text} was refused: ${status} ${code}`];
    }
    const event = events.get(transactionId ?? '');
    const isTwice = transactionId !== undefined && known.has(transactionId);
    known.add(transactionId ?? '');
    const isWhole = ['clearing', 'refund'].includes(message.event);
    return [
      !TELLS[message.event]?.includes(type) && `came to ${type || 'nothing'}`,
      isTwice && 'was told of the event of another message',
      isWhole && !event?.amount.eq(message.amount) && `moved ${event?.amount.toFixed()}`,
      event?.amount.gt(message.amount) && `moved ${event.amount.toFixed()}, more than it says`,
      event && event.currency !== message.currency && 'moved another currency',
    ].flatMap((what) => (typeof what === 'string' ? [`${text} ${what}`] : []));
  });
}
