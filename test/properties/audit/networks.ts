import type { Played } from '../play';
import type { Records } from './records';

/** The possible events of each network message. `''` means no event. */
const TELLS: Record<string, string[]> = {
  authorization: ['authorization', 'decline', ''],
  advice: ['authorization', ''],
  clearing: ['settle'],
  reversal: ['cancel', ''],
  refund: ['refund'],
};
/** Allowed refusals: an absurd amount, and a key that another request uses. */
const REFUSALS = ['limit_exceeded', 'idempotency_in_progress', 'idempotency_mismatch'];
/** From this amount on, the limit may refuse a message. */
const ABSURD = 1_000_000;

/** Checks that a network message is not refused, has at most one event, and moves the whole of a clearing or refund. */
export function auditNetworks(records: Records, { heard }: Played): string[] {
  const { cards, transactions } = records;
  const owners = new Map(cards.map(({ id, tenant_id: tenant }) => [id, tenant]));
  const events = new Map(transactions.map((event) => [event.id, event]));
  const known = new Set<string>();
  const wrong = heard.flatMap(({ text, message, answer }) => {
    const { status, code = '', type = '', transactionId } = answer;
    if (message.reach !== owners.get(message.cardId)) return []; // sent by another tenant
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
  return [...wrong, ...auditChains(records, heard)];
}

/** Checks that a transaction's messages share a chain. After its end, an authorization opens a linked chain. */
function auditChains({ transactions }: Records, heard: Played['heard']): string[] {
  const names = new Map(
    heard.map(({ message: { cardId, reference, currency }, answer }) => [
      answer.transactionId,
      `card ${cardId}: ${reference} in ${currency}`,
    ]),
  );
  const chains = new Map<string, string>();
  return transactions.flatMap(({ id, authorization_id: chain, linked_id: linked, type }) => {
    const name = names.get(id);
    if (name === undefined || chain === null) return [];
    const known = chains.get(name) ?? chain;
    chains.set(name, chain);
    const begins = type === 'authorization' && chain === id && linked === known;
    return chain === known || begins ? [] : [`${name} has ${type} ${id} apart from its chain`];
  });
}
