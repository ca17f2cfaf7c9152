import { randomUUID } from 'node:crypto';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { type Client, type TestApi, testApi } from '../../support/api';
import { created, fundedAccount, look, lookUntil } from '../payouts/support';

/** Callbacks of the screening party over HTTP. */

const clock = { aheadMs: 0 };
let api: TestApi;
let client: Client;
let accountId: string;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + clock.aheadMs) });
  client = await api.client();
  accountId = await fundedAccount(api, client);
});
afterAll(() => api.close());

/** Sends a message that the party has signed. @returns the status */
async function told(message: object, secret = partySecret(api.services.keyring, 'screening')) {
  const body = JSON.stringify(message);
  const headers = { [SIGNATURE_HEADER]: signMessage(Buffer.from(body), secret, new Date()) };
  return (await api.call('POST', '/callbacks/screening', body, headers)).status;
}

/** A payout that waits for the party, which clears its destination after five seconds. */
async function waitingPayout(): Promise<string> {
  const destination = { chain: 'polygon', asset: 'USDT', address: `0x${'7'.repeat(34)}bad002` };
  const id = await created(client, accountId, { method: 'crypto', currency: 'USDT', destination });
  expect(await look(api, id)).toBe('processing');
  return id;
}
const signals = (id: string) =>
  api.commands.filter(({ args, action }) => args[0] === id && action === 'look').length;

it('wakes the transfer once, which then asks for the result', async () => {
  const id = await waitingPayout();
  const before = signals(id);
  clock.aheadMs += 20_000;
  const message = { id: randomUUID(), key: id };
  expect([await told(message), await told(message)]).toEqual([200, 200]);
  expect(signals(id)).toBe(before + 1);
  const text = 'select due_by <= $2 as due from transfers where id = $1';
  expect(await api.database.query(text, [id, api.services.now()])).toEqual([{ due: true }]);
  await lookUntil(api, id, 'completed');
});

it('refuses a message of another signer, and wakes nobody', async () => {
  const id = await waitingPayout();
  const before = signals(id);
  const other = partySecret(api.services.keyring, 'payouts');
  expect(await told({ id: randomUUID(), key: id }, other)).toBe(401);
  expect(signals(id)).toBe(before);
});

it('shows an unknown key to a person', async () => {
  const key = `pay_${'0'.repeat(26)}`;
  expect(await told({ id: randomUUID(), key })).toBe(200);
  const text = 'select kind, detail from breaks where subject = $1';
  expect(await api.database.query(text, [key])).toEqual([
    { kind: 'party_order_unknown', detail: 'screening' },
  ]);
});
