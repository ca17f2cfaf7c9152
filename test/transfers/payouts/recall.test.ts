import { asOperator, key, operators, type Person } from '../../desk/support';
import { type TestApi, testApi } from '../../support/api';
import { type TestDesk, testDesk } from '../../support/desk';
import { created, fundedAccount } from './support';

/** The recall of a payout at a party that takes no recalls. test/transfers/bank-files recalls at a bank by files. */

let api: TestApi;
let desk: TestDesk;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

it('is refused in clear words, and leaves no trace', async () => {
  const [person] = (await operators(api, 'ida')) as [Person];
  const ida = await asOperator(desk.url, person);
  const client = await api.client();
  const id = await created(client, await fundedAccount(api, client));
  const asked = { subject: id, input: {}, reason: 'paid by mistake' };
  const told = await ida('POST', 'decisions/payout.recall', asked, key());
  expect([told.status, told.text]).toEqual([
    409,
    expect.stringContaining('The payouts party takes no recalls. Only a bank by files does.'),
  ]);
  expect(await api.database.query(`select from audit_log where action = 'payout.recall'`)).toEqual([]);
});
