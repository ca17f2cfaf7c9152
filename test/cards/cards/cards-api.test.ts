/** @long */
import { blockCardsOf } from '../../../src/cards/cards/operations';
import { cardProcesses, tokenizationProcesses } from '../../../src/cards/cards/workflows';
import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { tokenizeAtProcessor } from '../../../src/cards/orders/tokenization';
import { newId } from '../../../src/kernel/ids';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { passesLuhn } from '../../../src/kernel/wire/card-number';
import { PartyAway } from '../../../src/process/party-errors';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { cardBalance, simulate } from '../../support/cards';
import { accountBalance, issuedCard, requestedCard } from './support';

let api: TestApi;
let client: Client;
const clock = { at: new Date() };
beforeAll(async () => {
  api = await testApi({ ...DECIDED_AT_ONCE, now: () => clock.at });
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const later = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1000);
};
const eventsOf = async (cardId: string) => {
  const events = await api.database.query<{ type: string }>(
    'select type from card_transactions where card_id = $1 order by number',
    [cardId],
  );
  return events.map((event) => event.type);
};
const commandsFor = (workflow: string, id: string) =>
  api.commands.filter((command) => command.workflow === workflow && command.args[0] === id);

describe('DELETE /v1/cards/{id}', () => {
  it('closes at once, returns the balance, and asks the processor until it confirms', async () => {
    const card = await issuedCard(api, client, { amount: '40.00', label: 'sandbox:close-slow' });
    const closed = await client.call('DELETE', `/v1/cards/${card.id}`);
    expect([closed.status, closed.body.status]).toEqual([200, 'closed']);
    expect(closed.body.balance).toEqual({ available: '0.00', pending: '0.00', spent: '0.00' });
    expect(await accountBalance(client, card.accountId)).toBe('199.00 0.00');
    expect(await eventsOf(card.id)).toEqual(['issue', 'withdraw', 'close']);
    expect(commandsFor('cardClosure', card.id)).toHaveLength(1);

    const again = await client.call('DELETE', `/v1/cards/${card.id}`);
    expect([again.status, again.body.status]).toEqual([200, 'closed']);
    expect(commandsFor('cardClosure', card.id)).toHaveLength(1);

    expect(await closeAtProcessor(api.services, card.id)).toBe('processing');
    later(31);
    expect(await closeAtProcessor(api.services, card.id)).toBe('confirmed');
    expect(await closeAtProcessor(api.services, card.id)).toBe('confirmed');
    // The processor's confirmation changes nothing that a client can see.
    expect((await client.call('GET', `/v1/cards/${card.id}`)).body).toEqual(again.body);
  });

  it('closes once when requests arrive together', async () => {
    const card = await issuedCard(api, client, { amount: '40.00' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.call('DELETE', `/v1/cards/${card.id}`)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await eventsOf(card.id)).toEqual(['issue', 'withdraw', 'close']);
  });

  it('refuses a pending card and a failed card', async () => {
    const pending = await requestedCard(api, client);
    const refused = await client.call('DELETE', `/v1/cards/${pending.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'card_not_active']);
    expect(await closeAtProcessor(api.services, pending.id)).toBe('open');
  });
});

describe('freeze and unfreeze', () => {
  it('freezes once by hand and unfreezes', async () => {
    const card = await issuedCard(api, client, { amount: '40.00' });
    const frozen = await client.call('POST', `/v1/cards/${card.id}/freeze`);
    expect([frozen.status, frozen.body.status, frozen.body.freezeReasons]).toEqual([
      200,
      'frozen',
      ['manual'],
    ]);
    expect((await client.call('POST', `/v1/cards/${card.id}/freeze`, {})).status).toBe(200);
    const thawed = await client.call('POST', `/v1/cards/${card.id}/unfreeze`);
    expect([thawed.status, thawed.body.status, thawed.body.freezeReasons]).toEqual([200, 'active', []]);
    expect((await client.call('POST', `/v1/cards/${card.id}/unfreeze`)).status).toBe(200);
    expect(await eventsOf(card.id)).toEqual(['issue', 'freeze', 'unfreeze']);
  });

  it('declines while frozen, and can be funded and emptied', async () => {
    const card = await issuedCard(api, client, { amount: '40.00' });
    await client.call('POST', `/v1/cards/${card.id}/freeze`);
    const tried = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
    expect(tried.body).toMatchObject({ type: 'decline', declineReason: 'card_frozen' });
    const turns = ['topup', 'withdraw'].map((turn) => `/v1/cards/${card.id}/${turn}`);
    for (const path of turns) expect((await client.call('POST', path, { amount: '5.00' })).status).toBe(201);
  });
});

describe('topup and withdraw', () => {
  it('move money at once and answer with the card transaction', async () => {
    const card = await issuedCard(api, client, { amount: '40.00' });
    const path = `/v1/cards/${card.id}`;
    const funded = await client.call('POST', `${path}/topup`, { amount: '10.00' });
    expect(funded.status).toBe(201);
    expect(funded.body).toMatchObject({
      cardId: card.id,
      type: 'topup',
      transactionAmount: '10.00',
      transactionCurrency: 'USD',
      fee: '0.25',
      balanceAfter: { available: '50.00', pending: '0.00', spent: '0.00' },
    });
    const taken = await client.call('POST', `${path}/withdraw`, { amount: '50.00' });
    expect(taken.body).toMatchObject({ type: 'withdraw', transactionAmount: '50.00', fee: '0.00' });
    expect(await cardBalance(client, card.id)).toBe('0.00 0.00 0.00');
    expect(await accountBalance(client, card.accountId)).toBe('198.75 0.00');
  });

  it('take effect once under one key', async () => {
    const card = await issuedCard(api, client, { amount: '40.00' });
    const headers = { 'x-idempotency-key': 'once' };
    const topUp = () => client.call('POST', `/v1/cards/${card.id}/topup`, { amount: '10.00' }, headers);
    const answers = await Promise.all(Array.from({ length: 20 }, topUp));
    const done = answers.filter((answer) => answer.body.code !== 'idempotency_in_progress');
    expect(new Set(done.map((answer) => answer.text)).size).toBe(1);
    expect(await cardBalance(client, card.id)).toBe('50.00 0.00 0.00');
  });

  it('allow exactly K of N concurrent withdrawals when the money covers K', async () => {
    const card = await issuedCard(api, client, { amount: '50.00' });
    const withdraw = () => client.call('POST', `/v1/cards/${card.id}/withdraw`, { amount: '10.00' });
    const answers = await Promise.all(Array.from({ length: 20 }, withdraw));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(5);
    expect(answers.filter((answer) => answer.body.code === 'insufficient_funds')).toHaveLength(15);
    expect(await cardBalance(client, card.id)).toBe('0.00 0.00 0.00');
  });

  it('refuse to fund the card of a blocked user', async () => {
    const card = await issuedCard(api, client, { amount: '40.00' });
    await api.database.transaction((tx) => blockCardsOf(tx, card.userId, true));
    const refused = await client.call('POST', `/v1/cards/${card.id}/topup`, { amount: '1.00' });
    expect([refused.status, refused.body.code]).toEqual([409, 'user_blocked']);
    expect((await client.call('POST', `/v1/cards/${card.id}/withdraw`, { amount: '1.00' })).status).toBe(201);
    await api.database.transaction((tx) => blockCardsOf(tx, card.userId, false));
    expect((await client.call('POST', `/v1/cards/${card.id}/topup`, { amount: '1.00' })).status).toBe(201);
  });
});

describe('GET /v1/cards/{id}/sensitive', () => {
  it('shows number and CVV from the processor to the client only, and records it in the audit log', async () => {
    const card = await issuedCard(api, client);
    const path = `/v1/cards/${card.id}/sensitive`;
    const shown = await client.call('GET', path);
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.body).toEqual({
      cardNumber: expect.stringMatching(/^44112200\d{8}$/),
      cvv: expect.stringMatching(/^\d{3}$/),
      expiryMonth: clock.at.getUTCMonth() + 1,
      expiryYear: clock.at.getUTCFullYear() + 4,
    });
    expect(passesLuhn(shown.body.cardNumber)).toBe(true);
    const { last4 } = (await client.call('GET', `/v1/cards/${card.id}`)).body;
    expect(shown.body.cardNumber.slice(-4)).toBe(last4);

    const [log] = await api.database.query('select * from audit_log where subject = $1', [card.id]);
    expect(log).toMatchObject({
      actor: client.clientId,
      action: 'cards.sensitive',
      tenant_id: client.clientId,
    });
    expect(JSON.stringify(log)).not.toContain(shown.body.cardNumber);
  });

  it('keeps neither number nor CVV in the clear anywhere', async () => {
    const card = await issuedCard(api, client);
    const { cardNumber } = (await client.call('GET', `/v1/cards/${card.id}/sensitive`)).body;
    const tables = await api.database.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(20);
    for (const { name } of tables) {
      const found = await api.database.query(`select 1 from ${name} t where t::text like '%' || $1 || '%'`, [
        cardNumber,
      ]);
      expect([name, found]).toEqual([name, []]);
    }
  });

  it('is refused to an admin, before the issuance and after the end', async () => {
    const admin = await api.client('admin');
    const card = await issuedCard(api, client);
    const ask = (who: Client, id: string) => who.call('GET', `/v1/cards/${id}/sensitive`);
    const forbidden = await Promise.all([ask(admin, card.id), ask(admin, 'nonsense')]);
    expect(forbidden.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
    const pending = await requestedCard(api, client);
    expect((await ask(client, pending.id)).body.code).toBe('card_not_active');
    await client.call('DELETE', `/v1/cards/${card.id}`);
    expect((await ask(client, card.id)).body.code).toBe('card_closed');
  });

  it('answers 503 and records nothing while the processor is unreachable', async () => {
    const card = await issuedCard(api, client);
    const { cardProcessor } = api.services.parties;
    const away = async () => {
      throw new PartyAway();
    };
    api.services.parties.cardProcessor = { ...cardProcessor, sensitive: away };
    const answer = await client.call('GET', `/v1/cards/${card.id}/sensitive`);
    api.services.parties.cardProcessor = cardProcessor;
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await api.database.query('select 1 from audit_log where subject = $1', [card.id])).toEqual([]);
  });
});

describe('POST /v1/cards/{id}/tokenize', () => {
  it('is accepted, with one at a time for each wallet', async () => {
    const card = await issuedCard(api, client);
    const ask = (wallet: string) => client.call('POST', `/v1/cards/${card.id}/tokenize`, { wallet });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('apple_pay')));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 8 }, () => 202));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    const { id, status } = answers[0]?.body ?? {};
    expect([id, status]).toEqual([expect.stringMatching(/^tkn_/), 'pending']);
    expect(commandsFor('cardTokenization', id)).toHaveLength(1);
    const other = (await ask('google_pay')).body.id;
    expect(other).not.toBe(id);

    expect(await tokenizeAtProcessor(api.services, id)).toBe('completed');
    expect(await tokenizeAtProcessor(api.services, id)).toBe('completed');
    expect((await ask('apple_pay')).body.id).not.toBe(id);
  });

  it('fails when the wallet is refused, or the card closed meanwhile', async () => {
    const refused = await issuedCard(api, client, { label: 'sandbox:tokenize-refuse' });
    const first = await client.call('POST', `/v1/cards/${refused.id}/tokenize`, { wallet: 'apple_pay' });
    expect(await tokenizeAtProcessor(api.services, first.body.id)).toBe('failed');
    const closed = await issuedCard(api, client);
    const second = await client.call('POST', `/v1/cards/${closed.id}/tokenize`, { wallet: 'apple_pay' });
    await client.call('DELETE', `/v1/cards/${closed.id}`);
    expect(await tokenizeAtProcessor(api.services, second.body.id)).toBe('failed');
  });

  it('requires an active card', async () => {
    const card = await issuedCard(api, client);
    const ask = (id: string) => client.call('POST', `/v1/cards/${id}/tokenize`, { wallet: 'apple_pay' });
    await client.call('POST', `/v1/cards/${card.id}/freeze`);
    expect((await ask(card.id)).body.code).toBe('card_not_active');
    await client.call('DELETE', `/v1/cards/${card.id}`);
    expect((await ask(card.id)).body.code).toBe('card_closed');
    expect((await ask((await requestedCard(api, client)).id)).body.code).toBe('card_not_active');
  });
});

describe('GET /v1/cards', () => {
  it('lists the newest first, in pages and by each filter', async () => {
    const first = await requestedCard(api, client);
    const second = await issuedCard(api, client);
    const third = await requestedCard(api, client, {}, '53112202', 'EUR');
    const ids = async (query: string) => {
      const { body } = await client.call('GET', `/v1/cards?${query}`);
      return body.data.map((card: { id: string }) => card.id);
    };
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    const page = (await client.call('GET', '/v1/cards?limit=2')).body;
    expect([page.data.length, page.hasMore]).toEqual([2, true]);
    expect(await ids(`limit=2&cursor=${page.nextCursor}`)).toEqual([first.id]);
    expect(await ids('status=pending')).toEqual([third.id, first.id]);
    expect(await ids('status=active')).toEqual([second.id]);
    expect(await ids('bin=53112202')).toEqual([third.id]);
    expect(await ids(`userId=${first.userId}`)).toEqual([first.id]);
    expect(await ids(`cardholderId=${second.cardholderId}`)).toEqual([second.id]);
    expect(await ids(`accountId=${third.accountId}`)).toEqual([third.id]);
    expect(await ids('userId=usr_nobody')).toEqual([]);
    expect((await (await api.client()).call('GET', '/v1/cards')).body).toEqual({
      data: [],
      hasMore: false,
      nextCursor: null,
    });
  });

  it.each([
    ['status=lost', 'status'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['userId=%00', 'userId'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await client.call('GET', `/v1/cards?${query}`);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
  });
});

describe('GET /v1/cards/{id}/decline-rate', () => {
  it('counts declines among all requests in the period', async () => {
    const card = await issuedCard(api, client, { amount: '10.00' });
    const path = `/v1/cards/${card.id}/decline-rate`;
    expect((await client.call('GET', path)).body).toMatchObject({
      authorizations: 0,
      declines: 0,
      rate: '0.0000',
    });
    for (const amount of ['1.00', '2.00', '100.00']) {
      await simulate(client, { cardId: card.id, type: 'authorization', amount });
    }
    const to = new Date(Date.now() + 60_000).toISOString();
    const counted = await client.call('GET', `${path}?to=${to}`);
    expect(counted.body).toEqual({
      cardId: card.id,
      from: new Date(Date.parse(to) - 30 * 24 * 60 * 60 * 1000).toISOString(),
      to,
      authorizations: 2,
      declines: 1,
      rate: '0.3333',
    });
    const none = await client.call('GET', `${path}?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z`);
    expect(none.body).toMatchObject({ authorizations: 0, declines: 0, from: '2020-01-01T00:00:00.000Z' });
  });

  it.each(['from=yesterday', 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'])(
    'refuses ?%s',
    async (query) => {
      const card = await requestedCard(api, client);
      const answer = await client.call('GET', `/v1/cards/${card.id}/decline-rate?${query}`);
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', 'from']);
    },
  );
});

const ENDPOINTS: [string, string, unknown?][] = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/sensitive'],
  ['GET', '/decline-rate'],
  ['POST', '/freeze'],
  ['POST', '/unfreeze'],
  ['POST', '/topup', { amount: '1.00' }],
  ['POST', '/withdraw', { amount: '1.00' }],
  ['POST', '/tokenize', { wallet: 'apple_pay' }],
];

describe.each(ENDPOINTS)('%s /v1/cards/{id}%s', (method, path, body) => {
  it('answers 404 for the card of another tenant, an unknown one and a malformed id', async () => {
    const card = await issuedCard(api, client, { amount: '10.00' });
    const stranger = await api.client();
    const ids = [card.id, newId('card'), newId('user'), 'card_x', '%00', 'a'.repeat(300)];
    const answers = await Promise.all(ids.map((id) => stranger.call(method, `/v1/cards/${id}${path}`, body)));
    expect(answers.map((answer) => [answer.status, answer.body.code])).toEqual(
      ids.map(() => [404, 'not_found']),
    );
    expect(await eventsOf(card.id)).toEqual(['issue']);
  });

  it('requires a credential', async () => {
    expect((await api.call(method, `/v1/cards/${newId('card')}${path}`, body)).status).toBe(401);
  });
});

describe.each(['topup', 'withdraw'])('the body of %s', (turn) => {
  it.each([
    [{}, 'amount'],
    [{ amount: 1 }, 'amount'],
    [{ amount: '0' }, 'amount'],
    [{ amount: '-1.00' }, 'amount'],
    [{ amount: '1.001' }, 'amount'],
    [{ amount: '1e2' }, 'amount'],
    [{ amount: '1234567890123456' }, 'amount'],
    [{ amount: '1.00', currency: 'USD' }, 'currency'],
  ])('refuses %j', async (body, field) => {
    const card = await issuedCard(api, client, { amount: '10.00' });
    const answer = await client.call('POST', `/v1/cards/${card.id}/${turn}`, body);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
    expect(await cardBalance(client, card.id)).toBe('10.00 0.00 0.00');
  });

  it('is refused for a pending or closed card, and above the available amount', async () => {
    const ask = async (id: string, amount = '1.00') =>
      (await client.call('POST', `/v1/cards/${id}/${turn}`, { amount })).body.code;
    expect(await ask((await requestedCard(api, client)).id)).toBe('card_not_active');
    const card = await issuedCard(api, client, { amount: '10.00' });
    expect(await ask(card.id, '500.00')).toBe('insufficient_funds');
    await client.call('DELETE', `/v1/cards/${card.id}`);
    expect(await ask(card.id)).toBe('card_closed');
  });
});

it.each([
  ['freeze', { reason: 'manual' }, 'reason'],
  ['unfreeze', { reason: 'manual' }, 'reason'],
  ['tokenize', {}, 'wallet'],
  ['tokenize', { wallet: 'cash' }, 'wallet'],
  ['tokenize', { wallet: 'apple_pay', device: 'x' }, 'device'],
])('refuses the body of %s: %j', async (turn, body, field) => {
  const card = await issuedCard(api, client);
  const answer = await client.call('POST', `/v1/cards/${card.id}/${turn}`, body);
  expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
});

describe('an admin', () => {
  it('reaches the cards of every tenant, and its calls are recorded in the audit log', async () => {
    const admin = await api.client('admin');
    const card = await issuedCard(api, client, { amount: '10.00' });
    expect((await admin.call('GET', `/v1/cards/${card.id}`)).body.id).toBe(card.id);
    await admin.call('POST', `/v1/cards/${card.id}/freeze`);
    await admin.call('DELETE', `/v1/cards/${card.id}`);
    const log = await api.database.query('select * from audit_log where subject = $1 order by id', [card.id]);
    expect(log).toMatchObject([
      {
        actor: admin.clientId,
        action: 'cards.freeze',
        tenant_id: client.clientId,
        before: { status: 'active', freezeReasons: [] },
        after: { status: 'frozen', freezeReasons: ['manual'] },
      },
      { action: 'cards.close', before: { status: 'frozen' }, after: { status: 'closed' } },
    ]);
  });
});

describe('overdue processes of cards', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const stale = (processes: typeof cardProcesses, except: string[] = []) =>
    processes.stale(api.database, new Date(Date.now() + HOUR_MS), 100, except);

  it('are found: pending cards, unconfirmed closures, open tokenizations', async () => {
    const pending = await requestedCard(api, client);
    const active = await issuedCard(api, client);
    const closed = await issuedCard(api, client);
    await client.call('DELETE', `/v1/cards/${closed.id}`);
    const confirmed = await issuedCard(api, client);
    await client.call('DELETE', `/v1/cards/${confirmed.id}`);
    await closeAtProcessor(api.services, confirmed.id);
    const { id } = (await client.call('POST', `/v1/cards/${active.id}/tokenize`, { wallet: 'apple_pay' }))
      .body;

    const mine = (commands: { args: unknown[]; workflowId: string }[]) =>
      commands
        .filter(({ args }) => [pending.id, active.id, closed.id, confirmed.id, id].includes(String(args[0])))
        .map(({ workflowId }) => workflowId);
    expect(mine(await stale(cardProcesses))).toEqual([
      `card-issuance-${pending.id}`,
      `card-closure-${closed.id}`,
    ]);
    expect(mine(await stale(cardProcesses, [`card-issuance-${pending.id}`]))).toEqual([
      `card-closure-${closed.id}`,
    ]);
    expect(mine(await stale(tokenizationProcesses))).toEqual([`card-tokenization-${id}`]);
    expect(mine(await stale(tokenizationProcesses, [`card-tokenization-${id}`]))).toEqual([]);
    const young = await cardProcesses.stale(api.database, new Date(0), 100, []);
    expect(young).toEqual([]);
  });
});
