import { setTimeout as sleep } from 'node:timers/promises';
import { recordCardEvent } from '../../../../src/cards/events/operations';
import type { Message } from '../../../../src/cards/events/record';
import { Decimal } from '../../../../src/kernel/money/money';
import type { Via } from '../../../properties/script';
import { createSubmit, type Submit } from '../../../properties/submit';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { activeCard, fund, PROCESSOR, type TestCard, tell } from '../../../support/cards';
import { countConflicts } from '../../../support/conflicts';

/** Concurrent requests, in one process or several, authorize exactly the limit: never more, and all of it. */

const CALLERS = 50;
const WAYS: Via[] = ['transaction', 'gathered', 'gathered elsewhere'];

let api: TestApi;
let client: Client;
let submit: Submit;
let conflicts: () => number;
beforeAll(async () => {
  const counted = countConflicts();
  conflicts = counted.conflicts;
  api = await testApi({}, counted.counting);
  client = await api.client();
  submit = createSubmit(api.services);
});
afterAll(() => api.close());

async function cardsOfOneUser(count: number): Promise<TestCard[]> {
  const first = await activeCard(api, client, '900.00');
  await fund(api, first.accountId, '9000.00');
  const { userId, accountId, cardholderId } = first;
  const more = Array.from({ length: count - 1 }, async () => {
    const body = { userId, accountId, cardholderId, amount: '900.00' };
    const { id } = (await client.call('POST', '/v1/cards', body)).body;
    await tell(api, { type: 'issue', cardId: id, reach: null, processor: PROCESSOR });
    return { ...first, id };
  });
  return [first, ...(await Promise.all(more))];
}

const limit = (path: string, body: object) => client.call('PUT', path, { version: 0, ...body });
const used = async (path: string) => (await client.call('GET', path)).body.used;

/** Sends all at once, over all cards and ways. @returns the answer to each */
const askAll = (cards: TestCard[], message: (index: number) => Partial<Message>) =>
  Promise.all(
    Array.from({ length: CALLERS }, (_, index) => {
      const cardId = cards[index % cards.length]?.id ?? '';
      const given = { reach: null, cardId, ...message(index) } as Message;
      return submit(WAYS[index % WAYS.length] as Via, given);
    }),
  );

const count = (answers: { type?: string; reason?: string | null }[]) => ({
  authorized: answers.filter(({ type }) => type === 'authorization').length,
  declined: answers.filter(({ reason }) => reason === 'limit_exceeded').length,
});
const ten = () => ({ type: 'authorization' as const, amount: new Decimal(10) });

it('authorizes exactly the daily limit of a card', async () => {
  const [card] = await cardsOfOneUser(1);
  const path = `/v2/cards/${card!.id}/limits`;
  await limit(path, { perDay: '205.00' });
  expect(count(await askAll([card!], ten))).toEqual({ authorized: 20, declined: 30 });
  expect(await used(path)).toEqual({ perDay: '200.00', perMonth: '200.00' });
}, 60_000);

it('authorizes exactly the monthly limit of a user over all of their cards', async () => {
  const cards = await cardsOfOneUser(4);
  const path = `/v1/users/${cards[0]!.userId}/limits`;
  await limit(path, { perMonth: '300.00' });
  expect(count(await askAll(cards, ten))).toEqual({ authorized: 30, declined: 20 });
  expect(await used(path)).toEqual({ USD: { perDay: '300.00', perMonth: '300.00' } });
}, 60_000);

it('increases a chain concurrently to exactly the limit of one authorization', async () => {
  const [card] = await cardsOfOneUser(1);
  await limit(`/v2/cards/${card!.id}/limits`, { perTransaction: '100.00' });
  const opened = await submit('gathered', { ...ten(), cardId: card!.id, reach: null });
  const { referenceId } = opened;
  const answers = await askAll([card!], () => ({ ...ten(), ...(referenceId && { referenceId }) }));
  expect(count(answers)).toEqual({ authorized: 9, declined: 41 });
}, 60_000);

it('counts every event when limits are set while cards are in use, in either order', async () => {
  const cards = await cardsOfOneUser(3);
  const ofUser = `/v1/users/${cards[0]!.userId}/limits`;
  const ofCard = `/v2/cards/${cards[0]!.id}/limits`;
  const before = conflicts();
  const setting = (async () => {
    for (let version = 0; version < 6; version += 1) {
      const bounds = version % 2 === 0 ? { perDay: '100.00' } : {};
      expect((await limit(ofUser, { ...bounds, version })).status).toBe(200);
      expect((await limit(ofCard, { ...bounds, version })).status).toBe(200);
    }
    await limit(ofUser, { perDay: '100.00', version: 6 });
  })();
  const [answers] = await Promise.all([
    askAll(cards, (index) => ({
      ...ten(),
      amount: new Decimal(1 + (index % 7)),
    })),
    setting,
  ]);
  const [row] = await api.database.query<{ total: string }>(
    `select sum(billing_amount) as total from card_transactions where card_id = any($1) and type = 'authorization'`,
    [cards.map(({ id }) => id)],
  );
  expect(answers.some(({ type }) => type === 'authorization')).toBe(true);
  expect((await used(ofUser)).USD.perDay).toBe(new Decimal(row?.total ?? 0).toFixed(2));
  // Nothing had to be retried, because locks are taken in one order.
  expect(conflicts()).toBe(before);
}, 60_000);

it.each([
  ['a card', ({ id }: TestCard) => `/v2/cards/${id}/limits`, (used: any) => used.perDay],
  ['a user', ({ userId }: TestCard) => `/v1/users/${userId}/limits`, (used: any) => used.USD.perDay],
])('limits that are set for %s wait for an event under way and count it', async (_, pathOf, dayIn) => {
  const [card] = await cardsOfOneUser(1);
  const setting = await api.database.transaction(async (tx) => {
    await recordCardEvent(tx, api.services, { ...ten(), cardId: card!.id, reach: null });
    let done = false;
    const put = limit(pathOf(card!), { perDay: '15.00' }).finally(() => (done = true));
    while (!done && !(await somebodyWaits())) await sleep(5);
    return { put };
  });
  expect((await setting.put).status).toBe(200);
  expect(dayIn(await used(pathOf(card!)))).toBe('10.00');
  const next = await submit('gathered', { ...ten(), cardId: card!.id, reach: null });
  expect(next.reason).toBe('limit_exceeded');
});

async function somebodyWaits(): Promise<boolean> {
  const [row] = await api.database.query<{ waits: boolean }>(
    `select count(*) > 0 as waits from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and a.datname = current_database()`,
  );
  return row?.waits ?? false;
}
