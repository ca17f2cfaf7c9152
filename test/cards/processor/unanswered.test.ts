import { settleUnanswered } from '../../../src/cards/processor/unanswered';
import { Problem } from '../../../src/kernel/errors';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { until } from '../../support/until';
import { comeBack, fate, fated, goAway, within } from './fate';
import { breaksOf, messageOf, type NetworkCard, networkCard, nextName, send, sendElsewhere } from './support';

/** Authorizations that are not judged in time are declined, and what they hold after all is released. */

let api: TestApi;
let client: Client;
let card: NetworkCard;

beforeAll(async () => {
  api = await testApi({ answerWithin: within }, fated);
  client = await api.client();
});
beforeEach(async () => {
  comeBack();
  card = await networkCard(api, client, '100.00');
});
afterEach(async () => {
  comeBack();
  expect(await checkLedger(api.database)).toEqual([]);
});
afterAll(() => api.close());

/** What is written down of a message, once it is. */
async function keptOf(messageId: unknown) {
  const find = async () =>
    (
      await api.database.query<{ id: string; body: string; settled_at: Date | null }>(
        'select id, body, settled_at from processor_messages where message_id = $1',
        [messageId],
      )
    )[0];
  await until(async () => (await find()) !== undefined);
  return (await find())!;
}

const events = async () =>
  (await client.call('GET', `/v1/cards/${card.id}/transactions`)).body.data
    .reverse()
    .slice(1)
    .map(({ type, source, declineReason, fee }: any) =>
      [type, source, declineReason, fee].filter(Boolean).join(' '),
    );

const DECLINED = { approved: false, declineReason: 'processing_error', referenceId: expect.any(String) };

/** While somebody holds the card's row. */
async function whileHeld(work: () => Promise<void>): Promise<void> {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  let began: () => void = () => undefined;
  const locked = new Promise<void>((resolve) => (began = resolve));
  const holding = api.database.transaction(async (tx) => {
    await tx.query('select 1 from cards where id = $1 for update', [card.id]);
    began();
    await held;
  });
  await locked;
  try {
    await work();
  } finally {
    letGo();
    await holding;
  }
}

/** As its process does: again while the message is still being judged. */
async function settledAtLast(id: string): Promise<string> {
  for (;;) {
    const settled = await settleUnanswered(api.services, id).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status !== 503) throw error;
    });
    if (settled) return settled;
  }
}

it('declines where a lock is held for too long, and nothing is held when it is let go', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  let first = '';
  within.judgeMs = 500;
  await whileHeld(async () => {
    const answer = await send(api, message);
    expect([answer.status, answer.body]).toEqual([200, DECLINED]);
    first = answer.text;
    // Written down before the answer, with what begins the process: a kill right now loses nothing.
    const { id } = await keptOf(message['messageId']);
    expect(api.commands.map(({ workflowId }) => workflowId)).toContain(`unanswered-authorization-${id}`);
  });
  const { id } = await keptOf(message['messageId']);
  expect((await send(api, message)).text).toBe(first);
  // What had waited for the lock may have been judged by now, or not: it holds nothing in the end.
  expect(['released', 'recorded']).toContain(await settledAtLast(id));
  expect(await settleUnanswered(api.services, id)).toBe('settled_before');
  expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  expect((await sendElsewhere(api, message)).body).toBe(first);
});

it('declines where nobody knows what was committed, and releases it: written down as soon as the database is back', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  fate.unheard = true;
  const answer = await send(api, message);
  expect([answer.status, answer.body, fate.away]).toEqual([200, DECLINED, true]);
  expect((await send(api, message)).text).toBe(answer.text);
  comeBack();
  const { id, body } = await keptOf(message['messageId']);
  expect(body).toBe(answer.text);
  expect(await cardBalance(client, card.id)).toBe('60.00 40.00 0.00');
  expect(await settleUnanswered(api.services, id)).toBe('released');
  expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  expect((await send(api, message)).text).toBe(answer.text);
});

it('releases its own part of a chain alone', async () => {
  await send(api, messageOf(card, { type: 'authorization', amount: '30.00' }));
  const message = messageOf(card, { type: 'authorization', amount: '20.00', sent: 1 });
  fate.unheard = true;
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('released');
  expect(await cardBalance(client, card.id)).toBe('70.00 30.00 0.00');
});

it('has nothing to release where the network has reversed it by then', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '20.00' });
  fate.unheard = true;
  await send(api, message);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  await send(api, messageOf(card, { type: 'reversal', amount: '20.00', sent: 1 }));
  expect(await settleUnanswered(api.services, id)).toBe('nothing_held');
  expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
});

it.each(['before', 'after'])(
  'releases an increment once where the network reverses it %s that',
  async (when) => {
    await send(api, messageOf(card, { type: 'authorization', amount: '50.00' }));
    const message = messageOf(card, { type: 'authorization', amount: '30.00', sent: 1 });
    fate.unheard = true;
    expect((await send(api, message)).body).toEqual(DECLINED);
    comeBack();
    const { id } = await keptOf(message['messageId']);
    expect(await cardBalance(client, card.id)).toBe('20.00 80.00 0.00');
    const reversal = messageOf(card, { type: 'reversal', amount: '30.00', sent: 2 });
    if (when === 'before') await send(api, reversal);
    expect(await settleUnanswered(api.services, id)).toBe(when === 'before' ? 'nothing_held' : 'released');
    if (when === 'after') expect((await send(api, reversal)).status).toBe(200);
    expect(await cardBalance(client, card.id)).toBe('50.00 50.00 0.00');
    // What is reversed after that is the approved hold's.
    await send(api, messageOf(card, { type: 'reversal', amount: '20.00', sent: 3 }));
    expect(await cardBalance(client, card.id)).toBe('70.00 30.00 0.00');
  },
);

it('releases each of two increments for itself', async () => {
  await send(api, messageOf(card, { type: 'authorization', amount: '50.00' }));
  const ids: string[] = [];
  for (const amount of ['20.00', '10.00']) {
    const message = messageOf(card, { type: 'authorization', amount, sent: 1 });
    fate.unheard = true;
    expect((await send(api, message)).body).toEqual(DECLINED);
    expect(fate.away).toBe(true);
    comeBack();
    ids.push((await keptOf(message['messageId'])).id);
  }
  for (const id of ids.reverse()) expect(await settleUnanswered(api.services, id)).toBe('released');
  expect(await cardBalance(client, card.id)).toBe('50.00 50.00 0.00');
});

it('keeps what was approved before it came to whoever declined it, and shows a person', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  const first = await sendElsewhere(api, message);
  await new Promise((resolve) => setTimeout(resolve, 10)); // the network repeats it later
  goAway();
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('approved_before');
  expect(await settleUnanswered(api.services, id)).toBe('settled_before');
  expect(await cardBalance(client, card.id)).toBe('60.00 40.00 0.00');
  expect(await breaksOf(api, 'processor_answers_differ')).toEqual([
    { subject: message['messageId'], detail: 'authorization', amount: '40.00', currency: 'USD' },
  ]);
  expect((await sendElsewhere(api, message)).body).toBe(first.body);
});

it('records the decline where nothing was committed: without a fee, and nobody judges it any more', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  goAway();
  const answer = await send(api, message);
  expect([answer.status, answer.body]).toEqual([200, DECLINED]);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('recorded');
  expect(await events()).toEqual(['decline processing_error 0.00']);
  const [key] = await api.database.query<{ body: string }>(
    'select body from idempotency_keys where key = $1',
    [message['messageId']],
  );
  expect(key?.body).toBe(answer.text);
  expect((await sendElsewhere(api, message)).body).toBe(answer.text);
});

it('records the decline of what no rate is quoted for', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40', currency: 'KPW' });
  goAway();
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('recorded');
  expect(await events()).toEqual(['decline processing_error 0.00']);
});

it('leaves a decline that was committed as it is', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '400.00' });
  fate.unheard = true;
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('nothing_held');
  expect(await events()).toEqual(['decline insufficient_funds 0.20']);
});

it('leaves another message of its name as it was judged, and shows a person', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  await sendElsewhere(api, message);
  goAway();
  expect((await send(api, { ...message, amount: '50.00' })).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('nothing_held');
  expect(await cardBalance(client, card.id)).toBe('60.00 40.00 0.00');
  expect((await breaksOf(api, 'processor_message_mismatch')).map(({ amount }) => amount)).toEqual(['50.00']);
});

it('shows a person a card that turns out to be unknown', async () => {
  const reference = nextName('nobody');
  const message = messageOf({ reference }, { type: 'authorization', amount: '40.00' });
  goAway();
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('unknown_card');
  const shown = (await breaksOf(api, 'processor_card_unknown')).map(({ subject }) => subject);
  expect(shown).toEqual([reference]);
});

it('books any other message when it is sent again: 503 while the database is away, and one effect', async () => {
  const message = messageOf(card, { type: 'clearing', amount: '40.00' });
  fate.unheard = true;
  const [unheard] = await Promise.all([
    send(api, message),
    until(async () => fate.away).then(() => Object.assign(fate, { away: false })),
  ]);
  expect(unheard.status).toBe(200);
  expect((await send(api, message)).text).toBe(unheard.text);
  expect(await cardBalance(client, card.id)).toBe('60.00 0.00 40.00');
});
