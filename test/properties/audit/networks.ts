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
export function auditNetworks(records: Records, { heard }: Played): string[] {
  const { cards, transactions } = records;
  const owners = new Map(cards.map(({ id, tenant_id: tenant }) => [id, tenant]));
  const events = new Map(transactions.map((event) => [event.id, event]));
  const known = new Set<string>();
  const wrong = heard.flatMap(({ text, message, answer }) => {
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
  return [...wrong, ...auditChains(records, heard)];
}

/** Messages of one transaction are of one chain; an authorization after its end begins another, which is linked to it. */
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
