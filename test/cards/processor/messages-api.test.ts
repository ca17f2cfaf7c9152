import { MESSAGES_PATH } from '../../../src/cards/processor/message-key';
import { keyName } from '../../../src/kernel/idempotency';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import {
  breaksOf,
  lineOf,
  MESSAGES,
  messageOf,
  type NetworkCard,
  networkCard,
  send,
  sendElsewhere,
} from './support';

let api: TestApi;
let client: Client;
let card: NetworkCard;
let say: ReturnType<typeof lineOf>;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
beforeEach(async () => {
  card = await networkCard(api, client, '100.00');
  say = lineOf(api, card);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const history = async () =>
  (await client.call('GET', `/v1/cards/${card.id}/transactions`)).body.data
    .reverse()
    .map((each: any) =>
      [each.type, each.billingAmount, each.forced && 'forced', each.source].filter(Boolean).join(' '),
    );

it('takes a network’s transaction through its ordinary life', async () => {
  const merchant = { name: 'Shop', mcc: '5411', city: 'Vienna', country: 'AT' };
  const approved = await say({ type: 'authorization', amount: '60.00', merchant });
  expect(approved).toEqual({ approved: true, referenceId: expect.stringMatching(/^ref_/) });
  expect(await cardBalance(client, card.id)).toBe('40.00 60.00 0.00');
  expect(await say({ type: 'authorization', amount: '10.00', sent: 1 })).toMatchObject({ approved: true });
  expect(Object.keys(await say({ type: 'clearing', amount: '20.00', sent: 2 }))).toEqual(['referenceId']);
  await say({ type: 'reversal', amount: '5.00', sent: 3 });
  await say({ type: 'clearing', amount: '30.00', final: true, sent: 4 });
  await say({ type: 'refund', amount: '12.50', sent: 5 });
  expect(await cardBalance(client, card.id)).toBe('62.50 0.00 37.50');
  expect(await history()).toEqual([
    ...[
      'issue 100.00',
      'authorization 60.00',
      'authorization 10.00',
      'settle 20.00',
      'cancel 5.00',
      'settle 30.00',
    ],
    ...['cancel 15.00 settlement', 'refund 12.50'],
  ]);
});

it('keeps one chain per network reference', async () => {
  const first = await say({ type: 'authorization', amount: '10.00' });
  await say({ type: 'authorization', amount: '20.00', networkReference: 'network-2' });
  await say({ type: 'reversal', amount: '10.00', sent: 1 });
  expect(await cardBalance(client, card.id)).toBe('80.00 20.00 0.00');
  const events = await client.call('GET', `/v1/cards/${card.id}/transactions?type=cancel`);
  expect(events.body.data[0].referenceId).toBe(first.referenceId);
});

it('declines an authorization without a rate at once, as judged', async () => {
  const message = messageOf(card, { type: 'authorization', amount: '40', currency: 'KPW' });
  expect((await send(api, message)).body).toMatchObject({
    approved: false,
    declineReason: 'processing_error',
  });
  expect(await history()).toEqual(['issue 100.00', 'decline 0.00']);
  const kept = 'select 1 from processor_messages where message_id = $1';
  expect(await api.database.query(kept, [message['messageId']])).toEqual([]);
});

it('declines with a reason, as an event of the card', async () => {
  const answer = await say({ type: 'authorization', amount: '1000.00' });
  expect(answer).toEqual({
    approved: false,
    declineReason: 'insufficient_funds',
    referenceId: expect.any(String),
  });
  const events = await client.call('GET', `/v1/cards/${card.id}/transactions?type=decline`);
  expect(events.body.data).toMatchObject([{ referenceId: answer.referenceId, transactionAmount: '1000.00' }]);
});

it('never refuses an advice: holds it by force, below zero and on a frozen card too', async () => {
  await client.call('POST', `/v1/cards/${card.id}/freeze`);
  const answer = await say({ type: 'advice', amount: '150.00' });
  expect(Object.keys(answer)).toEqual(['referenceId']);
  expect(await cardBalance(client, card.id)).toBe('-50.00 150.00 0.00');
  await say({ type: 'clearing', amount: '150.00', sent: 1, final: true });
  expect(await cardBalance(client, card.id)).toBe('-50.00 0.00 150.00');
  expect(await history()).toEqual([
    ...['issue 100.00', 'freeze 0.00', 'authorization 150.00 forced', 'settle 150.00'],
  ]);
});

it('answers an authorization of zero by the card’s state alone, and holds nothing', async () => {
  expect(await say({ type: 'authorization', amount: '0.00' })).toMatchObject({ approved: true });
  expect(await history()).toEqual(['issue 100.00']);
  await client.call('POST', `/v1/cards/${card.id}/freeze`);
  expect(await say({ type: 'authorization', amount: '0' })).toMatchObject({
    approved: false,
    declineReason: 'card_frozen',
  });
  expect(await history()).toEqual(['issue 100.00', 'freeze 0.00', 'decline 0.00']);
});

it('never refuses the network’s movements: above the hold, above the settled amount, or unknown', async () => {
  await say({ type: 'clearing', amount: '30.00' });
  await say({ type: 'refund', amount: '35.00', sent: 1 });
  await say({ type: 'reversal', amount: '5.00', sent: 2 });
  await say({ type: 'refund', amount: '7.00', networkReference: 'of-another-day' });
  expect(await cardBalance(client, card.id)).toBe('112.00 0.00 -12.00');
  expect(await history()).toEqual([
    ...['issue 100.00', 'authorization 30.00 forced', 'settle 30.00', 'refund 35.00', 'refund 7.00'],
  ]);
});

it('books on a closed card too, and returns the balance to its account', async () => {
  await say({ type: 'authorization', amount: '40.00' });
  expect((await client.call('DELETE', `/v1/cards/${card.id}`)).status).toBe(200);
  await say({ type: 'clearing', amount: '25.00', final: true, sent: 1 });
  await say({ type: 'refund', amount: '5.00', sent: 2 });
  expect(await cardBalance(client, card.id)).toBe('0.00 0.00 20.00');
});

it('keeps a chain of its own for another currency', async () => {
  await say({ type: 'authorization', amount: '10.00' });
  await say({ type: 'clearing', amount: '10.00', currency: 'EUR', sent: 1 });
  expect((await history()).slice(1)).toEqual([
    expect.stringMatching(/^authorization 10.00$/),
    expect.stringMatching(/^authorization 1\d\.\d\d forced$/),
    expect.stringMatching(/^settle 1\d\.\d\d$/),
  ]);
});

it('shows operators a message that no card can be charged for, and answers it', async () => {
  const huge = { amount: '999999999999999.00', currency: 'KWD' };
  expect(await say({ type: 'authorization', ...huge })).toMatchObject({ declineReason: 'limit_exceeded' });
  const clearing = messageOf(card, { type: 'clearing', ...huge });
  const answer = await send(api, clearing);
  expect(answer.body).toEqual({ referenceId: expect.any(String), unbooked: 'not_bookable' });
  expect((await send(api, clearing)).text).toBe(answer.text);
  expect(await breaksOf(api, 'processor_message_unbooked')).toEqual([
    { subject: clearing['messageId'], detail: 'clearing', ...huge },
  ]);
});

const WRONG: [string, Record<string, unknown>][] = [
  ['amount', { amount: '1.001' }],
  ['amount', { amount: 1 }],
  ['amount', { type: 'clearing', amount: '0.00' }],
  ['amount', { amount: '-1.00' }],
  ['currency', { currency: 'XXX' }],
  ['messageId', { messageId: 'with a blank' }],
  ['messageId', { messageId: undefined }],
  ['networkReference', { networkReference: '' }],
  ['cardReference', { cardReference: 'a\u0000' }],
  ['type', { type: 'chargeback' }],
  ['sentAt', { sentAt: 'now' }],
  ['merchant.mcc', { merchant: { mcc: '1' } }],
  ['note', { note: 'a\u0000' }],
];

it.each(WRONG)('names the field at fault: %s %j', async (field, wrong) => {
  const answer = await send(api, messageOf(card, { type: 'authorization', amount: '1.00', ...wrong }));
  expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
});

it('ignores unknown fields', async () => {
  expect(await say({ type: 'authorization', amount: '1.00', processingCode: '00' })).toMatchObject({
    approved: true,
  });
});

describe('a signature', () => {
  const count = async () =>
    Number(
      (
        await api.database.query<{ n: string }>('select coalesce(sum(count), 0) as n from forged_callbacks')
      )[0]?.n,
    );

  it.each([
    ['of another secret', () => ({ secret: Buffer.alloc(32) })],
    ['of six minutes ago', () => ({ at: new Date(Date.now() - 6 * 60_000) })],
    ['of six minutes ahead', () => ({ at: new Date(Date.now() + 6 * 60_000) })],
  ])('%s is refused and counted, and moves nothing', async (_what, signed) => {
    const before = await count();
    const answer = await send(api, messageOf(card, { type: 'authorization', amount: '1.00' }), signed());
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    expect(await count()).toBe(before + 1);
    expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  });

  it('that is missing is refused', async () => {
    const answer = await api.call(
      'POST',
      MESSAGES,
      messageOf(card, { type: 'authorization', amount: '1.00' }),
    );
    expect(answer.status).toBe(401);
  });

  it('of another body is refused', async () => {
    const message = messageOf(card, { type: 'authorization', amount: '1.00' });
    const secret = partySecret(api.services.keyring, 'card-processor');
    const signature = signMessage(Buffer.from(JSON.stringify(message)), secret, new Date());
    const answer = await api.call(
      'POST',
      MESSAGES,
      { ...message, amount: '2.00' },
      { [SIGNATURE_HEADER]: signature },
    );
    expect(answer.status).toBe(401);
  });
});

describe('a repeated message', () => {
  it('has one effect and one answer, fifty times at once and later', async () => {
    const message = messageOf(card, { type: 'authorization', amount: '1.00' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(api, message)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ approved: true });
    const later = await send(api, message);
    expect([later.text, later.headers.get('x-idempotent-replayed')]).toEqual([answers[0]?.text, 'true']);
    expect(await sendElsewhere(api, message)).toEqual({ status: 200, body: later.text, replayed: true });
    expect(await cardBalance(client, card.id)).toBe('99.00 1.00 0.00');
  });

  it('has one effect when it arrives at several processes at once', async () => {
    const message = messageOf(card, { type: 'authorization', amount: '1.00' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendElsewhere(api, message)));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await cardBalance(client, card.id)).toBe('99.00 1.00 0.00');
  });

  it.each(['clearing', 'reversal', 'refund', 'advice'])(
    'has one effect for a %s that is sent twice at once',
    async (type) => {
      await say({ type: 'authorization', amount: '10.00' });
      const message = messageOf(card, { type, amount: '4.00', sent: 1 });
      const [first, second] = await Promise.all([send(api, message), send(api, message)]);
      const third = await send(api, message);
      expect([second.text, third.text]).toEqual([first.text, first.text]);
      expect(
        (await history()).filter((event: string) => !/^(issue|authorization 10)/.test(event)),
      ).toHaveLength(1);
    },
  );

  it('counts as another message under another id, although all else is equal', async () => {
    await say({ type: 'authorization', amount: '10.00' });
    await say({ type: 'authorization', amount: '10.00' });
    expect(await cardBalance(client, card.id)).toBe('80.00 20.00 0.00');
  });

  it('is refused with other content, and a break shows its content', async () => {
    const message = messageOf(card, { type: 'clearing', amount: '10.00' });
    await send(api, message);
    const answer = await send(api, { ...message, amount: '11.00' });
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_mismatch']);
    await expect(sendElsewhere(api, { ...message, amount: '11.00' })).rejects.toMatchObject({ status: 422 });
    expect(await cardBalance(client, card.id)).toBe('90.00 0.00 10.00');
    expect(await breaksOf(api, 'processor_message_mismatch')).toEqual([
      { subject: message['messageId'], detail: 'clearing', amount: '11.00', currency: 'USD' },
    ]);
  });

  it('has a key that never expires', async () => {
    const message = messageOf(card, { type: 'authorization', amount: '1.00' });
    await send(api, message);
    const [key] = await api.database.query('select permanent from idempotency_keys where name = $1', [
      keyName(client.clientId, `POST ${MESSAGES_PATH}`, String(message['messageId'])),
    ]);
    expect(key).toEqual({ permanent: true });
  });
});
