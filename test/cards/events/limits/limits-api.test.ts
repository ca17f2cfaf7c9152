/** @long */
import { createProgrammes } from '../../../../src/cards/programmes/cache';
import { DEMO_BINS } from '../../../../src/cards/programmes/demo';
import { addBin, admitToBin } from '../../../../src/cards/programmes/operations';
import { Decimal } from '../../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { activeCard, fund, masterAccount, simulate, type TestCard, tell } from '../../../support/cards';

let api: TestApi;
let client: Client;
let card: TestCard;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  client = await api.client();
  card = await activeCard(api, client, '1000.00');
  await fund(api, card.accountId, '100.00');
});

const ofCard = (id = card.id) => `/v2/cards/${id}/limits`;
const ofUser = (id = card.userId) => `/v1/users/${id}/limits`;
const put = (path: string, body: object, by = client) => by.call('PUT', path, body);
const get = async (path: string, by = client) => (await by.call('GET', path)).body;

/** `authorization`, or the reason of its decline. */
async function authorize(amount: string, more: object = {}, cardId = card.id): Promise<string> {
  const { status, body } = await simulate(client, { cardId, type: 'authorization', amount, ...more });
  expect(status).toBe(201);
  return body.declineReason ?? body.type;
}

const authorized = async (amount: string, more: object = {}) =>
  (await simulate(client, { cardId: card.id, type: 'authorization', amount, ...more })).body;

/** Another card of the same user. */
async function secondCard(amount = '500.00', of = card): Promise<string> {
  const { userId, accountId, cardholderId } = of;
  await fund(api, accountId, '600.00');
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount });
  expect(asked.status).toBe(201);
  const processor = { reference: 'test', last4: '4242', expiryMonth: 12, expiryYear: 2031 };
  await tell(api, { type: 'issue', cardId: asked.body.id, reach: null, processor });
  return asked.body.id;
}

describe('GET and PUT /v2/cards/{id}/limits', () => {
  it('returns version 0 and the spending of a card whose limits were never set', async () => {
    await authorize('12.34');
    expect(await get(ofCard())).toEqual({
      cardId: card.id,
      currency: 'USD',
      version: 0,
      programme: { blockedMccs: ['7995'] },
      used: { perDay: '12.34', perMonth: '12.34' },
      remaining: {},
    });
  });

  it('replaces all limits, returns the remaining amounts, and counts the versions', async () => {
    await authorize('10.00');
    const all = {
      perTransaction: '50.00',
      perDay: '100.00',
      perMonth: '99.50',
      blockedMccs: ['5812', '5812'],
      allowedMccs: ['5411'],
      blockedCountries: ['RU', 'KP'],
      challengeEcommerce: true,
      challengeAbove: '45.00',
      homeCountries: ['AT', 'DE'],
    };
    const set = await put(ofCard(), { ...all, version: 0 });
    expect(set).toMatchObject({
      status: 200,
      body: {
        ...all,
        blockedMccs: ['5812'],
        version: 1,
        used: { perDay: '10.00', perMonth: '10.00' },
        remaining: { perTransaction: '50.00', perDay: '90.00', perMonth: '89.50' },
      },
    });
    expect(await get(ofCard())).toEqual(set.body);
    const { body } = await put(ofCard(), { perDay: '20', version: 1 });
    expect(body).toEqual({
      cardId: card.id,
      currency: 'USD',
      perDay: '20.00',
      version: 2,
      programme: { blockedMccs: ['7995'] },
      used: { perDay: '10.00', perMonth: '10.00' },
      remaining: { perDay: '10.00' },
    });
  });

  it('refuses a version other than the present one, and changes nothing', async () => {
    expect((await put(ofCard(), { perDay: '5.00', version: 0 })).status).toBe(200);
    for (const version of [0, 2])
      expect(await put(ofCard(), { perDay: '6.00', version })).toMatchObject({
        status: 409,
        body: { code: 'version_conflict', field: 'version' },
      });
    expect(await get(ofCard())).toMatchObject({ perDay: '5.00', version: 1 });
  });

  it('accepts one of two concurrent changes of a version', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put(ofCard(), { perDay: `${index + 1}.00`, version: 0 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const winner = answers.find(({ status }) => status === 200);
    expect(await get(ofCard())).toMatchObject({ perDay: winner?.body.perDay, version: 1 });
  });

  it('answers a repeat under the same key byte for byte', async () => {
    const key = { 'x-idempotency-key': 'limits' };
    const first = await client.call('PUT', ofCard(), { perDay: '5.00', version: 0 }, key);
    const again = await client.call('PUT', ofCard(), { perDay: '5.00', version: 0 }, key);
    expect(again.text).toBe(first.text);
    expect(await get(ofCard())).toMatchObject({ version: 1 });
  });

  it.each([
    ['perDay', { perDay: '0.00' }],
    ['perDay', { perDay: '-1.00' }],
    ['perMonth', { perMonth: 12 }],
    ['perTransaction', { perTransaction: '1.005' }],
    ['perDay', { perDay: null }],
    ['challengeAbove', { challengeAbove: '0.00' }],
    ['challengeAbove', { challengeAbove: '1.005' }],
    ['challengeEcommerce', { challengeEcommerce: 'yes' }],
    ['homeCountries', { homeCountries: [] }],
    ['homeCountries[0]', { homeCountries: ['AUT'] }],
    ['blockedMccs[0]', { blockedMccs: ['541'] }],
    ['blockedMccs[0]', { blockedMccs: ['54a1'] }],
    ['blockedMccs', { blockedMccs: '5411' }],
    ['allowedMccs', { allowedMccs: [] }],
    ['allowedMccs', { allowedMccs: ['5411', '5812'], blockedMccs: ['5812'] }],
    ['blockedCountries[0]', { blockedCountries: ['GBR'] }],
    ['blockedCountries[0]', { blockedCountries: ['gb'] }],
    ['blockedCountries[0]', { blockedCountries: ['ZZ'] }],
    ['perYear', { perYear: '1.00' }],
    ['version', { version: -1 }],
    ['version', { version: undefined }],
    ['version', { version: 1.5 }],
    ['version', { version: '0' }],
  ])('refuses what is wrong with %s: %j', async (field, body) => {
    expect(await put(ofCard(), { version: 0, ...body })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field },
    });
    expect(await get(ofCard())).toMatchObject({ version: 0 });
  });

  it('answers 404 for the card of another tenant and for a malformed id', async () => {
    const other = await api.client();
    for (const path of [ofCard(), ofUser(), ofCard('card_nothing'), ofUser('usr_nothing')]) {
      expect((await other.call('GET', path)).status).toBe(404);
      expect((await put(path, { perDay: '1.00', version: 0 }, other)).status).toBe(404);
    }
    expect(await get(ofCard())).toMatchObject({ version: 0 });
  });

  it('records an admin’s change in the audit log, and no client’s', async () => {
    const admin = await api.client('admin');
    await put(ofCard(), { perDay: '5.00', version: 0 });
    await put(ofCard(), { perDay: '6.00', blockedMccs: ['5411'], version: 1 }, admin);
    await put(ofUser(), { perMonth: '7.00', version: 0 }, admin);
    const rows = await api.database.query(
      'select actor, action, subject, tenant_id, before, after from audit_log where subject = any($1) order by id',
      [[card.id, card.userId]],
    );
    const by = { actor: admin.clientId, tenantId: client.clientId };
    expect(rows).toMatchObject([
      {
        actor: by.actor,
        tenant_id: by.tenantId,
        action: 'cards.limits',
        subject: card.id,
        before: { perDay: '5.00', version: 1 },
        after: { perDay: '6.00', blockedMccs: ['5411'], version: 2 },
      },
      {
        actor: by.actor,
        tenant_id: by.tenantId,
        action: 'users.limits',
        subject: card.userId,
        before: { version: 0 },
        after: { perMonth: '7.00', version: 1 },
      },
    ]);
  });
});

describe('an authorization of a limited card', () => {
  it('is declined by the first broken limit, and then does not count', async () => {
    await put(ofCard(), { perTransaction: '50.00', perDay: '80.00', perMonth: '100.00', version: 0 });
    expect(await authorize('50.01')).toBe('limit_exceeded');
    expect(await authorize('50.00')).toBe('authorization');
    expect(await authorize('30.01')).toBe('limit_exceeded');
    expect(await authorize('30.00')).toBe('authorization');
    expect(await authorize('0.01')).toBe('limit_exceeded');
    expect(await get(ofCard())).toMatchObject({
      used: { perDay: '80.00', perMonth: '80.00' },
      remaining: { perDay: '0.00', perMonth: '20.00' },
    });
  });

  it.each([
    ['a category that is blocked', { blockedMccs: ['5812'] }, { mcc: '5812' }, { mcc: '5411' }],
    ['one that is not allowed', { allowedMccs: ['5812'] }, { mcc: '5411' }, { mcc: '5812' }],
    ['none, where some are allowed', { allowedMccs: ['5812'] }, { name: 'Shop' }, { mcc: '5812' }],
    ['a blocked country', { blockedCountries: ['GB'] }, { country: 'GB' }, { country: 'FR' }],
    ['one that is written otherwise', { blockedCountries: ['GB'] }, { country: 'GBR' }, { mcc: '5411' }],
  ])('is declined at a merchant of %s', async (_what, limits, refused, accepted) => {
    await put(ofCard(), { ...limits, version: 0 });
    expect(await authorize('1.00', { merchant: refused })).toBe('invalid_merchant');
    expect(await authorize('1.00', { merchant: accepted })).toBe('authorization');
    await put(ofUser(), { ...limits, version: 0 });
    await put(ofCard(), { version: 1 });
    expect(await authorize('1.00', { merchant: refused })).toBe('invalid_merchant');
    expect(await authorize('1.00', { merchant: accepted })).toBe('authorization');
  });

  it('counts less after a release, and the same after a refund', async () => {
    await put(ofCard(), { perDay: '100.00', version: 0 });
    const { referenceId } = await authorized('60.00');
    await simulate(client, { cardId: card.id, type: 'settle', amount: '40.00', referenceId, final: true });
    expect((await get(ofCard())).used).toEqual({ perDay: '40.00', perMonth: '40.00' });
    await simulate(client, { cardId: card.id, type: 'refund', amount: '40.00', referenceId });
    await simulate(client, { cardId: card.id, type: 'refund', amount: '5.00' });
    expect((await get(ofCard())).used).toEqual({ perDay: '40.00', perMonth: '40.00' });
    const held = await authorized('60.00');
    expect(held.type).toBe('authorization');
    await simulate(client, { cardId: card.id, type: 'cancel', referenceId: held.referenceId });
    expect((await get(ofCard())).used).toEqual({ perDay: '40.00', perMonth: '40.00' });
  });

  it('counts and is never declined when forced', async () => {
    await put(ofCard(), { perTransaction: '15.00', perDay: '10.00', perMonth: '10.00', version: 0 });
    const settled = await simulate(client, { cardId: card.id, type: 'settle', amount: '30.00' });
    expect(settled.body.type).toBe('settle');
    expect(await get(ofCard())).toMatchObject({
      used: { perDay: '30.00', perMonth: '30.00' },
      remaining: { perDay: '0.00', perMonth: '0.00' },
    });
    expect(await authorize('0.01')).toBe('limit_exceeded');
  });

  it('is judged by the total of its chain, at the merchant of the chain', async () => {
    await put(ofCard(), { perTransaction: '20.00', blockedMccs: ['5812'], version: 0 });
    const { referenceId } = await authorized('15.00', { merchant: { mcc: '5411' } });
    expect(await authorize('5.01', { referenceId })).toBe('limit_exceeded');
    expect(await authorize('5.00', { referenceId, merchant: { mcc: '5812' } })).toBe('authorization');
    expect((await get(ofCard())).used.perDay).toBe('20.00');
  });

  it('counts in the currency of the card', async () => {
    await put(ofCard(), { perDay: '20.00', version: 0 });
    const { billingAmount } = await authorized('10.00', { currency: 'EUR' });
    expect((await get(ofCard())).used.perDay).toBe(billingAmount);
    expect(await authorize('10.00', { currency: 'EUR' })).toBe('limit_exceeded');
  });

  it('counts spending from before the limits were set, once, however often they are set', async () => {
    const { referenceId } = await authorized('60.00');
    await simulate(client, { cardId: card.id, type: 'cancel', amount: '15.00', referenceId });
    for (const version of [0, 1, 2]) await put(ofCard(), { perDay: '50.00', version });
    expect((await get(ofCard())).used.perDay).toBe('45.00');
    expect(await authorize('5.01')).toBe('limit_exceeded');
    expect(await authorize('5.00')).toBe('authorization');
    await put(ofCard(), { version: 3 });
    expect(await authorize('100.00')).toBe('authorization');
    await put(ofCard(), { perDay: '151.00', version: 4 });
    expect((await get(ofCard())).used.perDay).toBe('150.00');
    expect(await authorize('1.01')).toBe('limit_exceeded');
  });
});

describe('GET and PUT /v1/users/{id}/limits', () => {
  it('bound all cards of the user together, including later ones', async () => {
    const other = await secondCard();
    await authorize('30.00');
    const set = await put(ofUser(), { perDay: '100.00', version: 0 });
    expect(set.body).toEqual({
      userId: card.userId,
      perDay: '100.00',
      version: 1,
      used: { USD: { perDay: '30.00', perMonth: '30.00' } },
      remaining: { USD: { perDay: '70.00' } },
    });
    expect(await authorize('50.00', {}, other)).toBe('authorization');
    expect(await authorize('20.01')).toBe('limit_exceeded');
    const later = await secondCard('100.00');
    expect(await authorize('20.01', {}, later)).toBe('limit_exceeded');
    expect(await authorize('20.00', {}, later)).toBe('authorization');
    expect(await get(ofUser())).toMatchObject({ used: { USD: { perDay: '100.00' } } });
    expect(await get(ofCard(other))).toMatchObject({
      used: { perDay: '50.00' },
      remaining: { perDay: '0.00' },
    });
  });

  it('count each currency by itself', async () => {
    const bin = { ...DEMO_BINS[0]!, bin: '70000001', currency: 'EUR', demo: false };
    await api.database.transaction((tx) => addBin(tx, bin));
    await api.database.transaction((tx) => admitToBin(tx, client.clientId, bin.bin));
    const accountId = await masterAccount(client, 'EUR');
    await fund(api, accountId, '200.00');
    const holder = await client.call('POST', `/v1/users/${card.userId}/cardholder`, {
      accountId,
      bin: bin.bin,
    });
    const euros = await secondCard('100.00', { ...card, accountId, cardholderId: holder.body.id });
    await put(ofUser(), { perDay: '40.00', version: 0 });
    expect(await authorize('40.00')).toBe('authorization');
    expect(await authorize('0.01')).toBe('limit_exceeded');
    expect(await authorize('30.00', {}, euros)).toBe('authorization');
    expect(await authorize('10.01', {}, euros)).toBe('limit_exceeded');
    expect(await get(ofUser())).toMatchObject({
      used: { EUR: { perDay: '30.00', perMonth: '30.00' }, USD: { perDay: '40.00', perMonth: '40.00' } },
      remaining: { EUR: { perDay: '10.00' }, USD: { perDay: '0.00' } },
    });
  });

  it('apply in addition to the card’s limits: the strictest counts', async () => {
    await put(ofCard(), { perDay: '50.00', perTransaction: '30.00', version: 0 });
    await put(ofUser(), { perDay: '40.00', perTransaction: '35.00', version: 0 });
    expect((await get(ofCard())).remaining).toEqual({ perTransaction: '30.00', perDay: '40.00' });
    expect(await authorize('30.01')).toBe('limit_exceeded');
    expect(await authorize('30.00')).toBe('authorization');
    expect(await authorize('10.01')).toBe('limit_exceeded');
    await put(ofUser(), { version: 1 });
    expect(await authorize('20.00')).toBe('authorization');
    expect(await authorize('0.01')).toBe('limit_exceeded');
  });

  it('show the given decimals, and the remaining amounts in minor units of the currency', async () => {
    const { body } = await put(ofUser(), { perDay: '10.005', perMonth: '7', version: 0 });
    expect(body).toMatchObject({ perDay: '10.005', perMonth: '7.00' });
    expect(body.remaining).toEqual({ USD: { perDay: '10.00', perMonth: '7.00' } });
    expect((await get(ofCard())).remaining).toEqual({ perDay: '10.00', perMonth: '7.00' });
  });
});

/** Moves everything that happened on the card to the day, or the month, before. */
async function daysLater(days: number): Promise<void> {
  for (const [table, columns] of Object.entries({
    authorizations: ['created_at', 'updated_at'],
    card_transactions: ['at'],
    spending: ['day'],
  })) {
    const earlier = columns.map(
      (name) => `${name} = ${name} - $2::int * (case when '${name}' = 'day' then 1 end)`,
    );
    const moved = columns.map((name) => `${name} = ${name} - make_interval(days => $2::int)`);
    const of = table === 'spending' ? 'subject_id = any($1)' : 'card_id = any($1)';
    await api.database.query(
      `update ${table} set ${(table === 'spending' ? earlier : moved).join()} where ${of}`,
      [table === 'spending' ? [card.id, card.userId] : [card.id], days],
    );
  }
}

const days = () =>
  api.database.query<{ subject_id: string; ago: number; amount: string }>(
    `select subject_id, (now() at time zone 'UTC')::date - day as ago, amount from spending
      where subject_id = any($1) order by subject_id, day`,
    [[card.id, card.userId]],
  );

describe('days and months', () => {
  it('begin with nothing used, and a release reduces the day of its authorization', async () => {
    await put(ofCard(), { perDay: '50.00', version: 0 });
    await put(ofUser(), { perDay: '50.00', version: 0 });
    const { referenceId } = await authorized('50.00');
    await daysLater(1);
    expect((await get(ofCard())).used.perDay).toBe('0.00');
    expect(await authorize('20.00', { referenceId })).toBe('authorization');
    const cancel = (amount: string) =>
      simulate(client, { cardId: card.id, type: 'cancel', amount, referenceId });
    await cancel('5.00');
    const each = (first: string, second: string) =>
      [card.id, card.userId].flatMap((subject_id) => [
        { subject_id, ago: 1, amount: first },
        { subject_id, ago: 0, amount: second },
      ]);
    expect(await days()).toEqual(each('50', '15'));
    expect((await get(ofCard())).used.perDay).toBe('15.00');
    await cancel('25.00');
    expect(await days()).toEqual(each('40', '0'));
    // Counting again from the events gives the same.
    await put(ofCard(), { perDay: '50.00', version: 1 });
    expect((await get(ofCard())).used.perDay).toBe('0.00');
  });

  it('restore the amount of an expired hold to its own day', async () => {
    await put(ofCard(), { perDay: '50.00', version: 0 });
    const { id } = await authorized('50.00');
    await daysLater(1);
    await api.database.query(
      `update authorizations set expires_at = now() - interval '1 hour' where id = $1`,
      [id],
    );
    await authorize('10.00');
    await tell(api, { type: 'expire', cardId: card.id, authorizationId: id, reach: null });
    expect(await days()).toMatchObject([
      { ago: 1, amount: '0' },
      { ago: 0, amount: '10' },
    ]);
  });

  it('ignore a release of a month before counting began', async () => {
    const { referenceId } = await authorized('50.00');
    await daysLater(40);
    await put(ofCard(), { perMonth: '10.00', version: 0 });
    expect((await get(ofCard())).used).toEqual({ perDay: '0.00', perMonth: '0.00' });
    await simulate(client, { cardId: card.id, type: 'cancel', referenceId });
    expect(await days()).toEqual([]);
    expect(await authorize('10.00')).toBe('authorization');
    expect(await authorize('0.01')).toBe('limit_exceeded');
  });
});

describe('a programme', () => {
  const programme = (bin: string, more: object) =>
    api.database.transaction(async (tx) => {
      await addBin(tx, { ...DEMO_BINS[0]!, bin, demo: false, ...more });
      await admitToBin(tx, client.clientId, bin);
    });

  it('bounds each of its cards in addition to their own limits', async () => {
    await programme('70000002', { maxPerDay: new Decimal(60), blockedCountries: ['KP'] });
    const one = await activeCard(api, client, '200.00', '70000002');
    const two = await activeCard(api, client, '200.00', '70000002');
    expect(await authorize('40.00', {}, one.id)).toBe('authorization');
    expect(await authorize('20.01', {}, one.id)).toBe('limit_exceeded');
    expect(await authorize('60.00', {}, two.id)).toBe('authorization');
    expect(await authorize('1.00', { merchant: { country: 'KP' } }, one.id)).toBe('invalid_merchant');
    expect(await get(ofCard(one.id))).toMatchObject({
      programme: { perDay: '60.00', blockedMccs: ['7995'], blockedCountries: ['KP'] },
      used: { perDay: '40.00' },
      remaining: { perDay: '20.00' },
    });
    await put(ofCard(one.id), { perDay: '45.00', version: 0 });
    expect(await authorize('5.01', {}, one.id)).toBe('limit_exceeded');
    await put(ofCard(one.id), { version: 1 });
    expect(await authorize('20.01', {}, one.id)).toBe('limit_exceeded');
    expect(await authorize('20.00', {}, one.id)).toBe('authorization');
  });

  it('counts earlier spending when it is bounded later, and stops counting when it is not bounded any more', async () => {
    await programme('70000003', {});
    const { id } = await activeCard(api, client, '200.00', '70000003');
    expect(await authorize('40.00', {}, id)).toBe('authorization');
    const bounded = async (max: number | null) => {
      await api.database.query('update bins set max_per_month = $1 where bin = $2', [max, '70000003']);
      // As after the five seconds for which its terms are kept in memory.
      Object.assign(api.services.programmes, createProgrammes());
    };
    await bounded(50);
    expect(await authorize('10.01', {}, id)).toBe('limit_exceeded');
    expect(await authorize('10.00', {}, id)).toBe('authorization');
    await bounded(null);
    expect(await authorize('30.00', {}, id)).toBe('authorization');
    const [{ limited, count }] = (await api.database.query<{ limited: boolean; count: string }>(
      'select limited, (select count(*) from spending where subject_id = c.id) from cards c where id = $1',
      [id],
    )) as [{ limited: boolean; count: string }];
    expect({ limited, count }).toEqual({ limited: false, count: '0' });
    await bounded(90);
    expect(await authorize('10.01', {}, id)).toBe('limit_exceeded');
    expect(await authorize('10.00', {}, id)).toBe('authorization');
  });
});
