import { PartyRefused } from '../../../src/process/party-errors';
import { type Ask, asOperator, key, operators, type Person } from '../../desk/support';
import { type TestApi, testApi } from '../../support/api';
import { type TestDesk, testDesk } from '../../support/desk';
import { created, fundedAccount } from './support';

/** Recalls that the payouts party does not take. test/transfers/bank-files recalls at a bank by files. */

let api: TestApi;
let desk: TestDesk;
let ida: Ask;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const [person] = (await operators(api, 'ida')) as [Person];
  ida = await asOperator(desk.url, person);
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

it('of a party that takes no recalls is refused in clear words, and leaves no trace', async () => {
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

it('that the party refuses only when it is asked is a conflict, and leaves no trace', async () => {
  const { parties } = api.services;
  const ask = jest.fn(() => Promise.reject(new PartyRefused('returned')));
  const recalls = { state: async () => null, assertAskable: async () => undefined, ask };
  parties.payouts = { ...parties.payouts, recalls };
  const client = await api.client();
  const id = await created(client, await fundedAccount(api, client));
  const asked = { subject: id, input: {}, reason: 'paid by mistake' };
  const told = await ida('POST', 'decisions/payout.recall', asked, key());
  expect([told.status, told.text]).toEqual([409, expect.stringContaining('The payout has come back.')]);
  expect(ask).toHaveBeenCalled();
  expect(await api.database.query(`select from audit_log where action = 'payout.recall'`)).toEqual([]);
});
