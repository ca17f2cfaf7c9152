import { moneyFigures } from '../../src/accounts/money-figures';
import type { Gauge } from '../../src/process/desk/figure';
import { type Statement, spiedDatabase } from '../growth/spy';
import { type TestApi, testApi } from '../support/api';
import { fund, masterAccount } from '../support/cards';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

it('reads the internal accounts once for both figures of a page, and anew for the next page', async () => {
  await fund(api, await masterAccount(await api.client()), '25.00');
  const statements: Statement[] = [];
  const gauges = moneyFigures(spiedDatabase(api.database, statements)) as Gauge[];
  const page = () => Promise.all(gauges.map((gauge) => gauge.values()));
  const [atRest = []] = await page();
  expect(atRest).toContainEqual({ labels: { currency: 'USD', place: 'clients and cards' }, value: '25.00' });
  expect(statements).toHaveLength(1);
  await page();
  expect(statements).toHaveLength(2);
});
