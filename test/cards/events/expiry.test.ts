import pino from 'pino';
import { type ExpiryPlace, expireAuthorizations } from '../../../src/cards/events/expiry';
import { DatabaseAway } from '../../../src/kernel/db/faults';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { type TestApi, testApi } from '../../support/api';
import { activeCard, cardBalance, fund, simulate } from '../../support/cards';

let api: TestApi;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  lines = [];
  const log = pino(
    { level: 'error' },
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  api = await testApi({ log });
});
afterEach(async () => {
  expect(await checkLedger(api.database)).toEqual([]);
  await api.close();
});

/** Cards with one expired authorization of 10.00 each, the longest expired first. */
async function expired(count: number) {
  const client = await api.client();
  const made: { cardId: string; id: string }[] = [];
  for (let index = 0; index < count; index += 1) {
    const card = await activeCard(api, client, '100.00');
    await fund(api, card.accountId, '50.00'); // the settle fees are held there
    const answer = await simulate(client, { cardId: card.id, type: 'authorization', amount: '10.00' });
    expect(answer.body).toMatchObject({ type: 'authorization' });
    const [row] = await api.database.query<{ id: string }>(
      `update authorizations set expires_at = now() - make_interval(hours => $2) where card_id = $1 returning id`,
      [card.id, count - index],
    );
    made.push({ cardId: card.id, id: row!.id });
  }
  return { client, made };
}

/** Makes Postgres refuse every change of an authorization. */
async function poison(id: string): Promise<void> {
  await api.database.query(`
    create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'this row cannot be changed'; end $$`);
  await api.database.query(
    `create trigger poisoned before update on authorizations for each row when (old.id = '${id}') execute function refuse()`,
  );
}

/** A run of the schedule in portions of a size. */
async function run(limit: number) {
  const sum = { expired: 0, failed: 0, portions: 0 };
  for (let after: ExpiryPlace | null = null; sum.portions < 20; ) {
    const portion = await expireAuthorizations(api.services, limit, { after });
    sum.expired += portion.expired;
    sum.failed += portion.failed;
    sum.portions += 1;
    if (!portion.more) return sum;
    after = portion.after;
  }
  throw new Error('the run does not end');
}

it.each([1, 2, 100])(
  'expires all others when one cannot be expired, in portions of %i @long',
  async (limit) => {
    const { client, made } = await expired(4);
    const poisoned = made[0]!;
    await poison(poisoned.id);
    expect(await run(limit)).toMatchObject({ expired: 3, failed: 1 });
    for (const { cardId } of made)
      expect(await cardBalance(client, cardId)).toBe(
        cardId === poisoned.cardId ? '90.00 10.00 0.00' : '100.00 0.00 0.00',
      );
    expect(lines).toEqual([
      expect.objectContaining({ authorizationId: poisoned.id, cardId: poisoned.cardId }),
    ]);

    await api.database.query('drop trigger poisoned on authorizations');
    expect(await run(limit)).toMatchObject({ expired: 1, failed: 0 });
    expect(await cardBalance(client, poisoned.cardId)).toBe('100.00 0.00 0.00');
  },
);

it('events of an expiry carry the key of the call that authorized', async () => {
  const client = await api.client();
  const card = await activeCard(api, client, '100.00');
  await fund(api, card.accountId, '50.00');
  const authorize = (key: string | undefined, more: object = {}) =>
    simulate(
      client,
      { cardId: card.id, type: 'authorization', amount: '10.00', ...more },
      key === undefined ? {} : { 'x-idempotency-key': key },
    );
  const { referenceId } = (await authorize('of-the-authorization')).body;
  await authorize('of-an-increase', { referenceId });
  const keyless = (await authorize(undefined)).body;
  await api.database.query(`update authorizations set expires_at = now() - interval '1 second'`);
  expect(await run(10)).toMatchObject({ expired: 2, failed: 0 });
  const told = await api.database.query<{ reference: string; key: string | null }>(
    `select reference_id as reference, idempotency_key as key from events where event = 'card_transaction' and type = 'cancel'`,
  );
  expect(new Map(told.map(({ reference, key }) => [reference, key]))).toEqual(
    new Map([
      [referenceId, 'of-the-authorization'],
      [keyless.referenceId, null],
    ]),
  );
});

it('a run ends although no authorization can be expired', async () => {
  const { made } = await expired(3);
  await poison(made[0]!.id);
  await api.database.query('drop trigger poisoned on authorizations');
  await api.database.query(
    'create trigger poisoned before update on authorizations for each row execute function refuse()',
  );
  expect(await run(1)).toEqual({ expired: 0, failed: 3, portions: 4 });
});

it('a run is repeated as a whole when the database is unreachable', async () => {
  await expired(1);
  const gone = new DatabaseAway(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  const database = { ...api.database, transaction: () => Promise.reject(gone) };
  await expect(expireAuthorizations({ ...api.services, database }, 10)).rejects.toBe(gone);
});

/** The remaining validity of a chain in Postgres, in days. */
async function daysOfValidity(referenceId: string): Promise<number> {
  const [row] = await api.database.query<{ days: number }>(
    `select extract(epoch from expires_at - updated_at)::float / 86400 as days from authorizations where reference_id = $1`,
    [referenceId],
  );
  return row!.days;
}

it('an authorization is valid for the days of its programme, renewed by each increase', async () => {
  const client = await api.client();
  const card = await activeCard(api, client, '100.00');
  await fund(api, card.accountId, '50.00');
  const authorize = (more: object) =>
    simulate(client, { cardId: card.id, type: 'authorization', amount: '10.00', ...more });
  const { referenceId } = (await authorize({})).body;
  expect(await daysOfValidity(referenceId)).toBe(7);

  await api.database.query(`update authorizations set expires_at = now() + interval '1 minute'`);
  const increase = (await authorize({ referenceId })).body;
  expect(increase.referenceId).not.toBe(referenceId);
  expect(await daysOfValidity(referenceId)).toBe(7);

  await api.database.query(`update authorizations set expires_at = now() - interval '1 second'`);
  const anew = (await authorize({ referenceId })).body;
  expect(await daysOfValidity(anew.referenceId)).toBe(7);
  expect(await run(10)).toMatchObject({ expired: 1 });
  expect(await cardBalance(client, card.id)).toBe('90.00 10.00 0.00');
  const chain = await client.call('GET', `/v1/cards/${card.id}/transactions?limit=10`);
  const linked = chain.body.data.find(
    (each: { referenceId: string }) => each.referenceId === anew.referenceId,
  );
  expect(linked.linkedId).toBe(
    chain.body.data.findLast((each: { referenceId: string }) => each.referenceId === referenceId).id,
  );
});
