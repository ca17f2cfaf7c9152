import type { Answer, Persistent } from './persistent';

/** A request for a quote. */
export interface Asked {
  path: string;
  body: object;
  /** Key of the order. The key of a later attempt ends with `~2`, which {@link stepOf} removes. */
  key: string;
}

export const EXPIRED = 'quote_expired';

/** Orders by a quote, and by another one when a fault lasted longer than the quote was valid. */
export async function orderByQuote(
  { send }: Pick<Persistent, 'send'>,
  { path, body, key }: Asked,
  order: { path: string; body?: object },
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const own = attempt === 1 ? key : `${key}~${attempt}`;
    const { body: quote } = await send('POST', path, body, `${own}-quote`);
    const answer = await send('POST', order.path, { quoteId: quote.quoteId, ...order.body }, own);
    if (answer.body.code !== EXPIRED) return answer;
  }
}

/** @returns a key's part that all attempts have in common */
export const stepOf = (key: string): string => key.replace(/~\d+$/, '');
