import { keepUnlisted } from '../../../src/chain/holdings/unlisted';
import { insertNetwork } from '../../chain/wallets/support';
import { type TestApi, testApi } from '../../support/api';
import { command, operatorEnvironment } from '../../support/operator';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

test('the list of unlisted tokens counts tokens of a transaction that are not stored', async () => {
  const block = { number: 1, hash: '0xb', parentHash: '0xa', at: new Date() };
  const transfer = { logIndex: 0, token: '0xT', from: '0xF', to: '0xA', units: 1n, block };
  const many = Array.from({ length: 30 }, (_, ordinal) => ({ ...transfer, txHash: '0xmany', ordinal }));
  const one = { ...transfer, txHash: '0xone', ordinal: 0 };
  await insertNetwork(api.database);
  await api.database.transaction((tx) => keepUnlisted(tx, 'local', [...many, one], new Date()));
  const environment = await operatorEnvironment(api.database);
  const tokens = (...argv: string[]) => command(environment, 'chain', 'tokens', ...argv);
  const told = JSON.parse((await tokens('--json')).out) as { txHash: string; more: number }[];
  const more = (hash: string) =>
    told.filter(({ txHash }) => txHash === hash).reduce((sum, each) => sum + each.more, 0);
  expect([told.length, more('0xmany'), more('0xone')]).toEqual([21, 10, 0]);
  const pages: string[] = [];
  let after: string[] = [];
  for (;;) {
    const page = await command(
      environment,
      'desk',
      'list',
      'chain-tokens',
      '--limit',
      '8',
      ...after,
      '--json',
    );
    const { items, next } = JSON.parse(page.out) as { items: object[]; next: string | null };
    pages.push(...items.map((item) => JSON.stringify(item)));
    if (next === null) break;
    after = ['--after', next];
  }
  expect(pages).toEqual(told.map((each) => JSON.stringify(each)));
});
