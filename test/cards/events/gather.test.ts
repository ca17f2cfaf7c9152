import { createGatherer } from '../../../src/cards/events/gather';
import type { Database } from '../../../src/kernel/db/database';
import { Decimal } from '../../../src/kernel/money/money';
import { type TestApi, testApi } from '../../support/api';
import { activeCard } from '../../support/cards';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

/** So that nobody waits ten seconds for a test. */
const impatient = (database: Database): Database => ({
  ...database,
  transaction: (work, options) => database.transaction(work, { lockSeconds: 1, ...options }),
});

const render = { render: () => ({ status: 201, body: '' }), refuse: () => ({ status: 409, body: '' }) };

it('a card that is held by somebody costs its own message, not those gathered with it', async () => {
  const [one, other] = [await api.client(), await api.client()];
  const held = await activeCard(api, one);
  const free = await activeCard(api, other);
  const gatherer = createGatherer(impatient(api.database), api.services);
  const decline = (cardId: string) =>
    gatherer
      .submit({ message: { type: 'decline', cardId, reach: null, amount: new Decimal('1.00') }, ...render })
      .then(
        ({ status }) => status,
        (error: Error) => error.name,
      );
  const results = await api.database.transaction(async (tx) => {
    await tx.query('select 1 from cards where id = $1 for update', [held.id]);
    return Promise.all([decline(held.id), decline(free.id)]);
  });
  expect(results).toEqual(['DatabaseAway', 201]);
});
