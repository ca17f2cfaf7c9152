/** @long */
import { randomBytes } from 'node:crypto';
import type { CardTransaction } from '../../../src/cards/events/record';
import { Decimal } from '../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, cardBalance, cardholder, fund, PROCESSOR, simulate, tell } from '../../support/cards';
import { urlOf } from '../../support/database';
import { masterKeysText, testKeyring } from '../../support/keyring';
import { anotherOperator, command } from '../../support/operator';
import { until } from '../../support/until';

const masterKey = randomBytes(32);
let api: TestApi;
let client: Client;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  api = await testApi({ keyring: testKeyring(masterKey) });
  const [row] = await api.database.query<{ name: string }>('select current_database() as name');
  const place = { DATABASE_URL: urlOf(row?.name ?? ''), MASTER_KEYS: masterKeysText(masterKey) };
  environment = await anotherOperator(place, 'ida');
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api.close());

const operator = (...argv: string[]) => command(environment, ...argv);

const stop = (group: string, verb: string, id: string, reason = 'A look.') =>
  operator(group, verb, id, '--reason', reason);

async function listed(id: string) {
  const { out } = await operator('stops', 'list', '--json');
  return (JSON.parse(out) as Record<string, unknown>[]).filter(({ subject }) => subject === id);
}

const audited = (subject: string) =>
  api.database.query<Record<string, any>>(
    `select actor, action, tenant_id, before, after from audit_log where subject = $1 and action not like 'users.%' order by id`,
    [subject],
  );

const authorize = async (cardId: string) => {
  const { status, body } = await simulate(client, { cardId, type: 'authorization', amount: '1.00' });
  expect(status).toBe(201);
  return (body.declineReason as string | undefined) ?? 'approved';
};

/** Creates an active card with money for the fees of its authorizations. */
async function spendingCard() {
  const card = await activeCard(api, client);
  await fund(api, card.accountId, '100.00');
  return card;
}

const setStatus = (id: string, status: string, reason?: string) =>
  client.call('PATCH', `/v1/users/${id}/status`, { status, reason });

describe('user block', () => {
  it('declines the next authorization, is audited and listed, and can be ended', async () => {
    const card = await spendingCard();
    const { userId } = card;
    expect(await authorize(card.id)).toBe('approved');
    const blocked = await operator('user', 'block', userId, '--reason', 'Stolen papers.', '--json');
    expect(JSON.parse(blocked.out)).toEqual({
      userId,
      status: 'blocked',
      operatorBlocked: true,
      clientStatus: 'active',
    });
    expect(await authorize(card.id)).toBe('user_blocked');
    expect(await listed(userId)).toEqual([
      {
        kind: 'user',
        subject: userId,
        client: client.clientId,
        reason: 'Stolen papers.',
        by: expect.stringMatching(/^operator:/),
        since: expect.stringMatching(/Z$/),
      },
    ]);
    const shown = await client.call('GET', `/v1/users/${userId}`);
    expect(shown.body.status).toBe('blocked');
    expect(shown.text).not.toMatch(/Stolen|operator/);
    const ids = async (status: string) =>
      (await client.call('GET', `/v1/users?status=${status}`)).body.data.map(({ id }: { id: string }) => id);
    expect([await ids('blocked'), await ids('active')]).toEqual([[userId], []]);

    expect((await stop('user', 'unblock', userId, 'All is well.')).out).toBe(`${userId} is active.`);
    expect(await authorize(card.id)).toBe('approved');
    expect(await listed(userId)).toEqual([]);
    expect(await audited(userId)).toMatchObject([
      {
        action: 'user.block',
        tenant_id: client.clientId,
        before: { status: 'active', operatorBlocked: false },
        after: { status: 'blocked', operatorBlocked: true, reason: 'Stolen papers.' },
      },
      { action: 'user.unblock', after: { status: 'active', reason: 'All is well.' } },
    ]);
  });

  it('is independent of the client’s own block, which cannot lift or overwrite it', async () => {
    const { id: cardId, userId } = await spendingCard();
    await stop('user', 'block', userId);
    expect(await setStatus(userId, 'active')).toMatchObject({
      status: 409,
      body: { code: 'status_not_editable', field: 'status' },
    });
    expect((await setStatus(userId, 'blocked', 'Ours.')).body).toMatchObject({
      status: 'blocked',
      statusReason: 'Ours.',
    });
    expect((await setStatus(userId, 'active')).status).toBe(409);
    expect((await stop('user', 'unblock', userId)).out).toBe(`${userId} is blocked.`);
    expect(await authorize(cardId)).toBe('user_blocked');
    expect((await setStatus(userId, 'active')).body.status).toBe('active');
    expect(await authorize(cardId)).toBe('approved');
  });

  it('remains when the client lifts its own block at the same moment', async () => {
    const { id: cardId, userId } = await spendingCard();
    for (let round = 0; round < 5; round += 1) {
      await setStatus(userId, 'blocked');
      const [blocked, lifted] = await Promise.all([
        stop('user', 'block', userId),
        setStatus(userId, 'active'),
      ]);
      expect(blocked.code).toBe(0);
      expect([200, 409]).toContain(lifted.status);
      expect(await authorize(cardId)).toBe('user_blocked');
      expect((await stop('user', 'unblock', userId)).code).toBe(0);
      await setStatus(userId, 'active');
      expect(await authorize(cardId)).toBe('approved');
    }
  });

  it('also stops a card that is issued at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { userId, accountId, cardholderId } = await cardholder(client);
      await fund(api, accountId, '100.00');
      const [answer, { code }] = await Promise.all([
        client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount: '5.00' }),
        stop('user', 'block', userId),
      ]);
      expect(code).toBe(0);
      if (answer.status === 201) {
        await tell(api, { type: 'issue', cardId: answer.body.id, reach: null, processor: PROCESSOR });
        expect(await authorize(answer.body.id)).toBe('user_blocked');
      } else expect(answer).toMatchObject({ status: 409, body: { code: 'user_blocked' } });
      const again = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId });
      expect(again).toMatchObject({ status: 409, body: { code: 'user_blocked' } });
    }
  });
});

describe('card freeze', () => {
  it('freezes for risk, which the client cannot lift, and reports it like any freeze', async () => {
    const { id } = await spendingCard();
    const frozen = await operator('card', 'freeze', id, '--reason', 'Odd merchants.', '--json');
    expect(JSON.parse(frozen.out)).toEqual({ cardId: id, status: 'frozen', freezeReasons: ['risk'] });
    expect(await authorize(id)).toBe('card_frozen');
    const thawed = await client.call('POST', `/v1/cards/${id}/unfreeze`);
    expect(thawed.body).toMatchObject({ status: 'frozen', freezeReasons: ['risk'] });
    const both = await client.call('POST', `/v1/cards/${id}/freeze`);
    expect(both.body.freezeReasons).toEqual(['manual', 'risk']);
    expect((await stop('card', 'unfreeze', id)).out).toBe(`${id} is frozen.`);
    expect((await client.call('POST', `/v1/cards/${id}/unfreeze`)).body.status).toBe('active');
    expect(await authorize(id)).toBe('approved');
    const events = await api.database.query(
      `select data::json->>'type' as type from events
        where event = 'card_transaction' and data::json->>'cardId' = $1 and type like '%freeze' order by number`,
      [id],
    );
    expect(events).toEqual([{ type: 'freeze' }, { type: 'unfreeze' }]);
    expect(await audited(id)).toMatchObject([
      {
        action: 'card.freeze',
        tenant_id: client.clientId,
        before: { freezeReasons: [] },
        after: { status: 'frozen', freezeReasons: ['risk'], reason: 'Odd merchants.' },
      },
      { action: 'card.unfreeze', before: { freezeReasons: ['manual', 'risk'] } },
    ]);
  });

  it('approves no authorization afterwards, even with many in progress', async () => {
    const { id } = await spendingCard();
    const authorizations = Array.from({ length: 60 }, () => authorize(id));
    const frozen = stop('card', 'freeze', id);
    const later = (async () => {
      for (let each = 0; each < 20; each += 1) await authorize(id);
    })();
    await Promise.all([...authorizations, frozen, later]);
    expect(await authorize(id)).toBe('card_frozen');
    const events = await api.database.query<{ type: string }>(
      'select type from card_transactions where card_id = $1 order by number',
      [id],
    );
    const types = events.map(({ type }) => type);
    expect(types.slice(types.indexOf('freeze') + 1)).not.toContain('authorization');
  });

  it('ends with the card', async () => {
    const { id } = await spendingCard();
    await stop('card', 'freeze', id);
    expect(await listed(id)).toHaveLength(1);
    expect((await client.call('DELETE', `/v1/cards/${id}`)).body.status).toBe('closed');
    expect(await listed(id)).toEqual([]);
  });
});

describe('client disable', () => {
  /** Sends the processor's own message, because the tenant's API answers 401. */
  const event = async (cardId: string, type: 'authorization' | 'settle' | 'refund', amount: string) => {
    const { transaction } = await tell(api, { type, cardId, reach: null, amount: new Decimal(amount) });
    return transaction as CardTransaction;
  };
  const judged = async (cardId: string) => {
    const { type, declineReason } = await event(cardId, 'authorization', '1.00');
    return declineReason ?? type;
  };
  const disable = (...more: string[]) =>
    operator('client', 'disable', client.clientId, '--reason', 'A leak.', ...more);
  const enable = () => stop('client', 'enable', client.clientId);
  /** Waits until the API answers so, because a process reads a tenant's status within a second. */
  const answers = (status: number) =>
    until(async () => (await client.call('GET', '/v1/accounts')).status === status);

  it('declines the next authorization of each card, and books all other messages, until the tenant is enabled', async () => {
    const card = await spendingCard();
    const other = await api.client();
    const foreign = await activeCard(api, other);
    await fund(api, foreign.accountId, '10.00');
    await event(card.id, 'authorization', '10.00');

    expect(JSON.parse((await disable('--json')).out)).toEqual({
      clientId: client.clientId,
      status: 'disabled',
    });
    expect(await judged(card.id)).toBe('card_frozen');
    expect(await judged(foreign.id)).toBe('authorization');
    expect(await event(card.id, 'settle', '30.00')).toMatchObject({ type: 'settle' });
    expect(await event(card.id, 'refund', '5.00')).toMatchObject({ type: 'refund' });
    await fund(api, card.accountId, '7.00');
    expect(await listed(client.clientId)).toMatchObject([{ kind: 'tenant', reason: 'A leak.' }]);

    expect((await enable()).code).toBe(0);
    expect(await judged(card.id)).toBe('authorization');
    await answers(200);
    // Of the 100.00, 30.00 were settled and 5.00 refunded; 10.00 and 1.00 are held.
    expect(await cardBalance(client, card.id)).toBe('64.00 11.00 25.00');
  });

  it('stops only the API if requested, and can change the scope at once', async () => {
    const { id } = await spendingCard();
    expect((await disable('--api-only')).code).toBe(0);
    expect(await judged(id)).toBe('authorization');
    await answers(401);
    expect(await listed(client.clientId)).toMatchObject([{ kind: 'tenant_api', reason: 'A leak.' }]);
    expect((await disable('--api-only')).err).toMatch(/is stopped already/);

    expect((await disable()).code).toBe(0);
    expect(await judged(id)).toBe('card_frozen');
    expect(await listed(client.clientId)).toMatchObject([{ kind: 'tenant' }]);
    expect((await disable('--api-only')).code).toBe(0);
    expect(await judged(id)).toBe('authorization');

    expect((await enable()).code).toBe(0);
    expect([await judged(id), await listed(client.clientId)]).toEqual(['authorization', []]);
    await answers(200);
    expect((await audited(client.clientId)).slice(-4)).toMatchObject([
      { action: 'client.disable', before: { status: 'active' }, after: { apiOnly: true } },
      { action: 'client.disable', before: { status: 'disabled' }, after: { apiOnly: false } },
      { action: 'client.disable', before: { status: 'disabled' }, after: { apiOnly: true } },
      { action: 'client.enable', before: { status: 'disabled' }, after: { status: 'active' } },
    ]);
  });
});

describe('stops', () => {
  it('prints stops for people, too', async () => {
    const { userId } = await cardholder(client);
    await stop('user', 'block', userId, 'For all to read.');
    await stop('client', 'disable', client.clientId, 'A leak.');
    const { out } = await operator('stops', 'list');
    expect(out).toMatch(/^WHAT\s+ID\s+CLIENT\s+SINCE\s+BY\s+WHY\s+AGE/);
    expect(out).toMatch(new RegExp(`user\\s+${userId}\\s+${client.clientId}\\s+.*For all to read\\.`));
    expect(out).toMatch(new RegExp(`tenant\\s+${client.clientId}\\s+${client.clientId}\\s+.*A leak\\.`));
    expect((await stop('client', 'enable', client.clientId)).code).toBe(0);
    expect(await listed(client.clientId)).toEqual([]);
  });

  it('refuses a second stop, the end of a missing stop, an unknown id, and a stop without a reason', async () => {
    const { id, userId } = await spendingCard();
    const ends: [string, string, string][] = [
      ['user', 'unblock', userId],
      ['card', 'unfreeze', id],
      ['client', 'enable', client.clientId],
    ];
    for (const end of ends) {
      expect((await stop(...end)).err).toMatch(/is not stopped by an operator/);
      expect((await operator(...end, '--preview')).err).toMatch(/is not stopped by an operator/);
    }
    const begins: [string, string, string][] = [
      ['user', 'block', userId],
      ['card', 'freeze', id],
      ['client', 'disable', client.clientId],
    ];
    for (const begin of begins) {
      expect((await operator(...begin, '--preview')).code).toBe(0);
      expect((await stop(...begin)).code).toBe(0);
      expect((await operator(...begin, '--preview')).err).toMatch(/is stopped already/);
      expect((await stop(...begin, 'Another reason.')).err).toMatch(/is stopped already/);
      expect(await listed(begin[2])).toMatchObject([{ reason: 'A look.' }]);
      expect((await operator(...begin)).err).toMatch(/--reason/);
    }
    expect((await stop('user', 'block', 'usr_01h455vb4pex5vsknk084sn02q')).err).toBe('user not found.');
    expect((await stop('card', 'freeze', 'card_01h455vb4pex5vsknk084sn02q')).err).toBe('card not found.');
  });
});
