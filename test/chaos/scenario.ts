import type { Received } from '../support/outside/receiver';
import type { Persistent } from './persistent';
import { stepOf } from './quotes';
import { counted, type Tally } from './run/tally';

/** Plays the life of one card from its user to its closure, with a key for each step: `<name>/<step>`. */

/** The card's label for the sandbox's processor (docs/sandbox.md), or a card that is only issued. */
export type Variant = 'plain' | 'sandbox:timeout' | 'sandbox:lost-order' | 'sandbox:refuse';
export const VARIANTS: readonly Variant[] = [
  'plain',
  'sandbox:timeout',
  'plain',
  'sandbox:lost-order',
  'sandbox:refuse',
];

const B2B_BIN = '44112200';

/** @returns the id of the card, after it is closed or failed */
export async function liveACard(
  client: Persistent,
  accountId: string,
  name: string,
  variant: Variant,
  tally: Tally,
): Promise<string> {
  const act = async (step: string, method: string, path: string, body?: unknown) => {
    const send = () => client.send(method, path, body, `${name}/${step}`);
    const done = await counted(
      tally,
      `card: ${step}`,
      send,
      ({ status, body: { type } }) => type ?? `${status}`,
    );
    return done.body;
  };

  const email = `${name}@example.com`;
  const user = await act('user', 'POST', '/v1/users', {
    meta: { firstName: 'Ada', lastName: 'Lovelace', email },
  });
  const cardholder = await act('cardholder', 'POST', `/v1/users/${user.id}/cardholder`, {
    accountId,
    bin: B2B_BIN,
  });
  const { id: cardId } = await act('issue', 'POST', '/v1/cards', {
    userId: user.id,
    accountId,
    cardholderId: cardholder.id,
    label: variant,
    amount: '100.00',
  });
  const { status } = await client.get(`/v1/cards/${cardId}`, (card) => card.status !== 'pending');
  if (status === 'failed') return cardId;

  const simulate = (step: string, message: object) =>
    act(step, 'POST', '/sandbox/transactions', { cardId, ...message });
  const { referenceId } = await simulate('authorize', { type: 'authorization', amount: '40.00' });
  await simulate('settle', { type: 'settle', amount: '15.00', referenceId });
  await simulate('settle-rest', { type: 'settle', amount: '10.00', final: true, referenceId });
  await simulate('refund', { type: 'refund', amount: '5.00', referenceId });
  await act('topup', 'POST', `/v1/cards/${cardId}/topup`, { amount: '20.00' });
  await simulate('decline', { type: 'authorization', amount: '9999.00' });
  const foreign = await simulate('authorize-eur', {
    type: 'authorization',
    amount: '12.00',
    currency: 'EUR',
  });
  await simulate('cancel', { type: 'cancel', referenceId: foreign.referenceId });
  await act('freeze', 'POST', `/v1/cards/${cardId}/freeze`);
  await act('unfreeze', 'POST', `/v1/cards/${cardId}/unfreeze`);
  await act('withdraw', 'POST', `/v1/cards/${cardId}/withdraw`, { amount: '3.00' });
  await act('close', 'DELETE', `/v1/cards/${cardId}`);
  return cardId;
}

const KEY = /^([^/]+)\/([^/]+)$/;

/**
 * Returns the events of each card's life by its name, one line each, without ids and times. Two lives of one variant
 * are equal exactly when each key had the same single effect.
 */
export function storiesOf(received: Received[]): Map<string, string[]> {
  const stories = new Map<string, string[]>();
  for (const { headers, body } of received) {
    const [, name, step] = KEY.exec(stepOf(String(headers['x-idempotency-key']))) ?? [];
    if (name === undefined) continue;
    const { data } = body;
    const what = [data['type'], data['subtype'], data['status'], data['declineReason']]
      .filter(Boolean)
      .join('/');
    const line = `${step}: ${body.event} ${what} ${data['billingAmount'] ?? data['amount'] ?? ''}`;
    stories.set(name, [...(stories.get(name) ?? []), line]);
  }
  for (const story of stories.values()) story.sort();
  return stories;
}
