import { recordCardEvent } from '../../../src/cards/events/operations';
import { Decimal } from '../../../src/kernel/money/money';
import { type TestApi, testApi } from '../../support/api';
import { activeCard, fund, simulate, tell } from '../../support/cards';

const counted: string[] = [];
let api: TestApi;
beforeAll(async () => {
  api = await testApi({
    observers: {
      observeAuthorization: (outcome, reason) =>
        void counted.push([outcome, reason].filter(Boolean).join(' ')),
    },
  });
});
beforeEach(() => void counted.splice(0));
afterAll(() => api.close());

it('counts authorizations when they are judged: approved, forced, and declined by reason', async () => {
  const client = await api.client();
  const { id: cardId, accountId } = await activeCard(api, client, '10.00');
  await fund(api, accountId, '100.00');
  const authorized = await simulate(client, { cardId, type: 'authorization', amount: '4.00' });
  const { referenceId } = authorized.body;
  await simulate(client, { cardId, type: 'settle', referenceId, amount: '5.00', final: true });
  await simulate(client, { cardId, type: 'authorization', amount: '400.00' });
  await client.call('POST', `/v1/cards/${cardId}/freeze`);
  await simulate(client, { cardId, type: 'authorization', amount: '1.00' });
  await simulate(client, { cardId, type: 'decline', amount: '1.00' });
  expect(counted).toEqual([
    ...['approved', 'forced', 'declined insufficient_funds', 'declined card_frozen', 'declined do_not_honor'],
  ]);
});

it('counts a repeat under the same key once, and nothing that was rolled back', async () => {
  const client = await api.client();
  const { id: cardId, accountId } = await activeCard(api, client, '10.00');
  await fund(api, accountId, '100.00');
  const key = { 'x-idempotency-key': 'counted' };
  for (let time = 0; time < 3; time += 1)
    await simulate(client, { cardId, type: 'authorization', amount: '1.00' }, key);
  expect(counted).toEqual(['approved']);
  const { database, services } = api;
  const undone = database.transaction(async (tx) => {
    const message = { type: 'authorization', cardId, amount: new Decimal(1), reach: null } as const;
    await recordCardEvent(tx, services, message);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(counted).toEqual(['approved']);
  await tell(api, { type: 'decline', cardId, amount: new Decimal(1), reach: null });
  expect(counted).toEqual(['approved', 'declined do_not_honor']);
});
