/**
 * An authorization that is not judged in time is declined, and its hold is released afterwards.
 *
 * @long
 */
import { MESSAGES_PATH } from '../../../src/cards/processor/message-key';
import { settleUnanswered } from '../../../src/cards/processor/unanswered';
import { Problem } from '../../../src/kernel/errors';
import { keyName } from '../../../src/kernel/idempotency';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { until } from '../../support/until';
import { comeBack, fate, fated, goAway, within } from './failing-database';
import { breaksOf, messageOf, type NetworkCard, networkCard, nextName, send, sendElsewhere } from './support';

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

/** The stored decline of a message, as soon as it exists. */
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

/** Runs work while another transaction holds the card's row. */
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

/** Settles as its workflow does: again while the message is still being judged. */
async function settledAtLast(id: string): Promise<string> {
  for (;;) {
    const settled = await settleUnanswered(api.services, id).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status !== 503) throw error;
    });
    if (settled) return settled;
  }
}

it('declines when a lock is held for too long, and holds nothing after the lock is released', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  let first = '';
  within.judgeMs = 500;
  await whileHeld(async () => {
    const answer = await send(api, message);
    expect([answer.status, answer.body]).toEqual([200, DECLINED]);
    first = answer.text;
    // The decline and the command of its workflow are stored before the answer, so that a kill now loses nothing.
    const { id } = await keptOf(message['messageId']);
    expect(api.commands.map(({ workflowId }) => workflowId)).toContain(`unanswered-authorization-${id}`);
  });
  const { id } = await keptOf(message['messageId']);
  expect((await send(api, message)).text).toBe(first);
  // The message that waited for the lock may have been judged by now. In both cases it holds nothing in the end.
  expect(['released', 'recorded']).toContain(await settledAtLast(id));
  expect(await settleUnanswered(api.services, id)).toBe('settled_before');
  expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  expect((await sendElsewhere(api, message)).body).toBe(first);
});

it('declines when the outcome of the commit is unknown, and releases the hold once the database is back', async () => {
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

it('releases only its own part of a chain', async () => {
  await send(api, messageOf(card, { type: 'authorization', amount: '30.00' }));
  const message = messageOf(card, { type: 'authorization', amount: '20.00', sent: 1 });
  fate.unheard = true;
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('released');
  expect(await cardBalance(client, card.id)).toBe('70.00 30.00 0.00');
});

it('releases nothing when the network has reversed it before', async () => {
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
  'releases an increment once when the network reverses it %s its release',
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
    // A reversal after that belongs to the approved hold.
    await send(api, messageOf(card, { type: 'reversal', amount: '20.00', sent: 3 }));
    expect(await cardBalance(client, card.id)).toBe('70.00 30.00 0.00');
  },
);

it('releases each of two increments', async () => {
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

it('keeps a hold that was approved before the declined message arrived, and opens a break', async () => {
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

it('records the decline when nothing was committed: without a fee, and the message is never judged', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40.00' });
  goAway();
  const answer = await send(api, message);
  expect([answer.status, answer.body]).toEqual([200, DECLINED]);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('recorded');
  expect(await events()).toEqual(['decline processing_error 0.00']);
  const [key] = await api.database.query<{ body: string }>(
    'select body from idempotency_keys where name = $1',
    [keyName(client.clientId, `POST ${MESSAGES_PATH}`, String(message['messageId']))],
  );
  expect(key?.body).toBe(answer.text);
  expect((await sendElsewhere(api, message)).body).toBe(answer.text);
});

it('records the decline of an authorization without a rate', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40', currency: 'KPW' });
  goAway();
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('recorded');
  expect(await events()).toEqual(['decline processing_error 0.00']);
});

it('leaves a committed decline unchanged', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '400.00' });
  fate.unheard = true;
  expect((await send(api, message)).body).toEqual(DECLINED);
  comeBack();
  const { id } = await keptOf(message['messageId']);
  expect(await settleUnanswered(api.services, id)).toBe('nothing_held');
  expect(await events()).toEqual(['decline insufficient_funds 0.20']);
});

it('leaves another message with the same id as judged, and opens a break', async () => {
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

it('opens a break for a card that turns out to be unknown', async () => {
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

it('books a notice when it is sent again: 503 while the database is unreachable, and one effect', async () => {
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
