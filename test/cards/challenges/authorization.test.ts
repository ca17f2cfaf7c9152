/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { type NetworkCard, networkCard, nextName, sendElsewhere } from '../processor/support';
import { approvedChallenge, MERCHANT, readChallenge, send, sentChallenge, tellChallenge } from './support';

let api: TestApi;
let client: Client;
let card: NetworkCard;
/** Milliseconds by which the product's clock is ahead. */
let ahead = 0;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
});
beforeEach(async () => {
  ahead = 0;
  client = await api.client();
  card = await networkCard(api, client);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const statusOf = async (challengeId: string) => (await readChallenge(api, challengeId)).body.status;

/** A purchase of 60.00 USD on the internet. */
const purchase = (given: Record<string, unknown> = {}) => ({
  messageId: nextName('am'),
  type: 'authorization',
  cardReference: card.reference,
  amount: '60.00',
  currency: 'USD',
  networkReference: nextName('network'),
  merchant: MERCHANT,
  channel: 'ecommerce',
  sentAt: new Date().toISOString(),
  ...given,
});
const authorize = async (given: Record<string, unknown>) => {
  const answer = await send(api, purchase(given));
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
};
const DECLINED = { approved: false, declineReason: 'authentication_required' };

describe('an approved challenge', () => {
  it('serves one authorization, and is used in its transaction', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    expect(await authorize({ challengeId, amount: '60.00' })).toMatchObject({ approved: true });
    expect(await statusOf(challengeId)).toBe('used');
    expect(await cardBalance(client, card.id)).toBe('40.00 60.00 0.00');
    expect(await authorize({ challengeId, amount: '1.00' })).toMatchObject(DECLINED);
    expect(await cardBalance(client, card.id)).toBe('40.00 60.00 0.00');
  });

  it('is answered alike for a repeated authorization, here and in another process', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    const message = purchase({ challengeId });
    const first = await send(api, message);
    expect(first.body).toMatchObject({ approved: true });
    expect((await send(api, message)).text).toBe(first.text);
    expect((await sendElsewhere(api, message)).body).toBe(first.text);
    expect(await cardBalance(client, card.id)).toBe('40.00 60.00 0.00');
  });

  it('serves one of two authorizations that come together, however they are gathered', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    const messages = Array.from({ length: 8 }, () => purchase({ challengeId, amount: '5.00' }));
    const here = messages.slice(0, 4).map((message) => send(api, message).then(({ body }) => body));
    const elsewhere = messages
      .slice(4)
      .map((message) => sendElsewhere(api, message).then(({ body }) => JSON.parse(body)));
    const answers = await Promise.all([...here, ...elsewhere]);
    expect(answers.filter(({ approved }) => approved)).toHaveLength(1);
    for (const answer of answers) if (!answer.approved) expect(answer).toMatchObject(DECLINED);
    expect(await cardBalance(client, card.id)).toBe('95.00 5.00 0.00');
  });

  it.each([
    ['a smaller amount', { amount: '59.99' }],
    ['a question whether the card may be used', { amount: '0.00' }],
    ['another channel', { channel: 'moto' }],
    ['no channel', { channel: undefined }],
    ['a merchant whose name is spelled in another way', { merchant: { id: MERCHANT.id, name: 'BOOKSHOP' } }],
  ])('serves %s', async (_what, given) => {
    const challengeId = await approvedChallenge(api, client, card);
    expect(await authorize({ challengeId, ...given })).toMatchObject({ approved: true });
    expect(await statusOf(challengeId)).toBe('used');
  });

  it.each([
    ['a larger amount', { amount: '60.01' }],
    ['another currency', { currency: 'EUR', amount: '1.00' }],
    ['another merchant', { merchant: { ...MERCHANT, id: 'merchant-2' } }],
    ['a merchant without an id', { merchant: { name: 'Bookshop' } }],
    ['no merchant', { merchant: undefined }],
    ['a question of another merchant', { amount: '0.00', merchant: { id: 'merchant-2' } }],
  ])('does not serve %s, and can be used afterwards', async (_what, given) => {
    const challengeId = await approvedChallenge(api, client, card);
    expect(await authorize({ challengeId, ...given })).toMatchObject(DECLINED);
    expect(await statusOf(challengeId)).toBe('approved');
    expect(await authorize({ challengeId })).toMatchObject({ approved: true });
  });

  it('does not serve another card, of the same tenant or of a foreign one', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    for (const other of [client, await api.client()]) {
      const { reference: cardReference } = await networkCard(api, other);
      expect(await authorize({ challengeId, cardReference })).toMatchObject(DECLINED);
    }
    expect(await statusOf(challengeId)).toBe('approved');
  });

  it('outlives an authorization that the balance does not cover', async () => {
    const challengeId = await approvedChallenge(api, client, card, { amount: '150.00' });
    expect(await authorize({ challengeId, amount: '150.00' })).toMatchObject({
      approved: false,
      declineReason: 'insufficient_funds',
    });
    expect(await statusOf(challengeId)).toBe('approved');
    expect(await authorize({ challengeId, amount: '100.00' })).toMatchObject({ approved: true });
  });

  it('does not thaw a card', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    await client.call('POST', `/v1/cards/${card.id}/freeze`);
    expect(await authorize({ challengeId })).toMatchObject({ declineReason: 'card_frozen' });
    expect(await statusOf(challengeId)).toBe('approved');
  });

  it('serves an increment of an authorization with its own challenge', async () => {
    const networkReference = nextName('network');
    const [one, two] = [
      await approvedChallenge(api, client, card),
      await approvedChallenge(api, client, card),
    ];
    expect(await authorize({ challengeId: one, networkReference })).toMatchObject({ approved: true });
    expect(await authorize({ challengeId: one, networkReference, amount: '5.00' })).toMatchObject(DECLINED);
    expect(await authorize({ challengeId: two, networkReference, amount: '5.00' })).toMatchObject({
      approved: true,
    });
    expect(await statusOf(two)).toBe('used');
  });

  it('is used by an authorization that was cleared earlier, judged by its whole amount', async () => {
    const networkReference = nextName('network');
    const challengeId = await approvedChallenge(api, client, card);
    const sentAt = new Date().toISOString();
    await send(api, purchase({ type: 'clearing', networkReference, amount: '50.00', sentAt }));
    expect(await authorize({ challengeId, networkReference, amount: '70.00', sentAt })).toMatchObject(
      DECLINED,
    );
    expect(await authorize({ challengeId, networkReference, amount: '50.00', sentAt })).toMatchObject({
      approved: true,
    });
    expect(await statusOf(challengeId)).toBe('used');
  });

  it('is used by a stand-in’s advice, which is never refused', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    for (const amount of ['60.00', '61.00'])
      expect((await send(api, purchase({ type: 'advice', challengeId, amount }))).status).toBe(200);
    expect(await statusOf(challengeId)).toBe('used');
    expect(await cardBalance(client, card.id)).toBe('-21.00 121.00 0.00');
  });

  it('is approved again by its code after its use, because the answer may have been lost', async () => {
    const challengeId = await approvedChallenge(api, client, card);
    await authorize({ challengeId });
    expect(await tellChallenge(api, 'cancel', challengeId)).toEqual({ status: 'used' });
    expect(await tellChallenge(api, 'resend', challengeId)).toEqual({ accepted: false, reason: 'used' });
  });
});

describe('a limit that requires a challenge', () => {
  const ask = async (limits: Record<string, unknown>) => {
    const { version } = (await client.call('GET', `/v2/cards/${card.id}/limits`)).body;
    const answer = await client.call('PUT', `/v2/cards/${card.id}/limits`, { ...limits, version });
    expect(answer.status).toBe(200);
  };

  it.each([
    ['on the internet', { challengeEcommerce: true }, {}],
    ['above an amount', { challengeAbove: '59.99' }, {}],
    ['abroad', { homeCountries: ['DE'] }, {}],
    ['of a question whether the card may be used', { challengeEcommerce: true }, { amount: '0.00' }],
    ['of a message without a channel', { challengeEcommerce: true }, { channel: undefined }],
    ['of a merchant without a country', { homeCountries: ['AT'] }, { merchant: { id: MERCHANT.id } }],
  ])('%s', async (_where, limits, given) => {
    const challengeId = await approvedChallenge(api, client, card);
    await ask(limits);
    expect(await authorize(given)).toMatchObject(DECLINED);
    expect(await authorize({ ...given, challengeId })).toMatchObject({ approved: true });
    expect(await authorize({ ...given, channel: 'present', amount: '0.00' })).toMatchObject({
      approved: true,
    });
    await ask({});
    expect(await authorize({ ...given, amount: '1.00' })).toMatchObject({ approved: true });
  });

  it('is judged after the other limits and before the balance', async () => {
    await ask({ challengeEcommerce: true, perTransaction: '70.00' });
    expect(await authorize({ amount: '70.01' })).toMatchObject({ declineReason: 'limit_exceeded' });
    await ask({ challengeEcommerce: true });
    expect(await authorize({ amount: '170.00' })).toMatchObject(DECLINED);
  });

  it('charges the programme’s decline fee and is shown to the client', async () => {
    await ask({ challengeEcommerce: true });
    const { referenceId } = await authorize({});
    const { body } = await client.call('GET', `/v1/cards/${card.id}/transactions`);
    expect(body.data[0]).toMatchObject({
      type: 'decline',
      declineReason: 'authentication_required',
      referenceId,
      fee: '0.20',
    });
  });

  it('does not apply to an advice, which is never refused', async () => {
    await ask({ challengeEcommerce: true });
    expect((await send(api, purchase({ type: 'advice' }))).body).toEqual({ referenceId: expect.any(String) });
    expect(await cardBalance(client, card.id)).toBe('40.00 60.00 0.00');
  });

  it('can be tried in the sandbox by the channel', async () => {
    await ask({ challengeEcommerce: true });
    const simulate = async (channel: string) => {
      const message = { cardId: card.id, type: 'authorization', amount: '5.00', channel };
      return (await client.call('POST', '/sandbox/transactions', message)).body;
    };
    expect(await simulate('ecommerce')).toMatchObject({
      type: 'decline',
      declineReason: 'authentication_required',
    });
    expect(await simulate('present')).toMatchObject({ type: 'authorization' });
  });
});

describe('a challenge that does not serve:', () => {
  it.each<[string, () => Promise<string>]>([
    ['one that is unknown', async () => 'acs-nobody'],
    ['one whose code was not typed yet', () => sentChallenge(api, card)],
    [
      'one that has expired',
      async () => {
        const id = await sentChallenge(api, card);
        ahead = 300_000;
        return id;
      },
    ],
    [
      'one that was cancelled after its approval',
      async () => {
        const id = await approvedChallenge(api, client, card);
        await tellChallenge(api, 'cancel', id);
        return id;
      },
    ],
    [
      'one that has failed',
      async () => {
        const id = await sentChallenge(api, card);
        for (let tries = 0; tries < 3; tries += 1) await tellChallenge(api, 'verify', id, { code: 'wrong' });
        return id;
      },
    ],
  ])('%s', async (_what, make) => {
    const challengeId = await make();
    expect(await authorize({ challengeId })).toMatchObject(DECLINED);
    expect(await cardBalance(client, card.id)).toBe('100.00 0.00 0.00');
  });
});

it.each([
  ['challengeId', { challengeId: '' }],
  ['challengeId', { challengeId: 7 }],
  ['channel', { channel: 'internet' }],
  ['merchant.id', { merchant: { id: 'with blanks' } }],
])('names %s when it is malformed', async (field, given) => {
  const answer = await send(api, purchase(given));
  expect(answer).toMatchObject({ status: 400, body: { field } });
});

it('shows the merchant id in the history', async () => {
  await authorize({});
  const { body } = await client.call('GET', `/v1/cards/${card.id}/transactions`);
  expect(body.data[0]).toMatchObject({ type: 'authorization', merchant: MERCHANT });
});
