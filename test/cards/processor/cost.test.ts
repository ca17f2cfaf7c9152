import { type Statement, spiedDatabase } from '../../growth/spy';
import { type TestApi, testApi } from '../../support/api';
import { fund, simulate } from '../../support/cards';
import { lineOf, type NetworkCard, networkCard } from './support';

/** The database cost of a network's message, compared with a sandbox transaction that names its authorization. */

const statements: Statement[] = [];
let api: TestApi;
beforeAll(async () => {
  api = await testApi({}, (database) => spiedDatabase(database, statements));
});
afterAll(() => api.close());

/** The statements about cards of a piece of work, without those of credentials and rates. */
async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0;
  await work();
  return statements
    .map(({ text }) => text)
    .filter((text) =>
      /idempotency|advisory|card|ledger|authorizations|network_references|processor_messages/.test(text),
    );
}

it('costs one more lookup than a sandbox transaction', async () => {
  const client = await api.client();
  const card: NetworkCard = await networkCard(api, client);
  await fund(api, card.accountId, '10.00');
  const say = lineOf(api, card);
  const key = (name: string) => ({ 'x-idempotency-key': name });
  const first = await simulate(
    client,
    { cardId: card.id, type: 'authorization', amount: '1.00' },
    key('first'),
  );
  const { referenceId } = first.body;
  await say({ type: 'authorization', amount: '1.00' });

  const increment = { cardId: card.id, type: 'authorization', amount: '1.00', referenceId };
  const sandbox = {
    increment: await sentBy(() => simulate(client, increment, key('increment'))),
    settle: await sentBy(() =>
      simulate(client, { cardId: card.id, type: 'settle', referenceId }, key('settle')),
    ),
  };
  const network = {
    increment: await sentBy(() => say({ type: 'authorization', amount: '1.00', sent: 1 })),
    settle: await sentBy(() => say({ type: 'clearing', amount: '2.00', sent: 2 })),
  };
  expect(network.increment.length).toBe(sandbox.increment.length); // chain and merchant are one statement there
  expect(network.settle.length).toBe(sandbox.settle.length + 1);
  const opening = await sentBy(() =>
    say({ type: 'authorization', amount: '1.00', networkReference: 'network-2' }),
  );
  expect(opening.length).toBe(network.increment.length);

  // A challenge is locked together with everything else, when a message names one.
  const authenticated = await sentBy(() =>
    say({ type: 'authorization', amount: '1.00', networkReference: 'network-3', challengeId: 'acs-nobody' }),
  );
  expect(authenticated.filter((text) => !text.includes('card_challenges')).length).toBe(opening.length);
  expect(opening.join()).not.toContain('card_challenges');
  expect(authenticated.length).toBe(opening.length + 1);
});
