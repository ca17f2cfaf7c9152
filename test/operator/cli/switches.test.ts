import { type TestDatabase, testDatabase } from '../../support/database';
import { masterKeysText } from '../../support/keyring';
import { anotherOperator, command } from '../../support/operator';

const MASTER_KEYS = masterKeysText();
let test: TestDatabase;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  test = await testDatabase();
  environment = await anotherOperator({ DATABASE_URL: test.runtimeUrl, MASTER_KEYS }, 'ida');
});
afterAll(() => test.drop());

async function operator(argv: string[], more: NodeJS.ProcessEnv = {}) {
  const { code, out, err } = await command({ ...environment, ...more }, ...argv);
  return { code, text: out, err, json: () => JSON.parse(out) };
}

const states = async (what: 'capability' | 'party', more: NodeJS.ProcessEnv = {}) =>
  (await operator([what, 'list', '--json'], more)).json() as Record<string, string | null>[];
const because = ['--reason', 'The bank asked for it.'];

it('switches a capability off and on, for all tenants or one, and audits operator and reason', async () => {
  const { clientId } = (await operator(['client', 'create', '--name', 'Acme', '--json'])).json();
  expect((await operator(['capability', 'off', 'payout', ...because])).text).toBe('payout is off.');
  const again = await operator(['capability', 'off', 'payout', ...because, '--json']);
  expect(again.json()).toMatchObject({ state: 'off', changed: false });
  const off = await operator([
    ...['capability', 'off', 'deposit', '--client', clientId, '--json'],
    ...because,
  ]);
  expect(off.json()).toEqual({ capability: 'deposit', clientId, state: 'off', changed: true });
  const listed = await states('capability');
  expect(listed).toHaveLength(9 + 1);
  expect(listed.find(({ name }) => name === 'payout')).toEqual({
    name: 'payout',
    client: null,
    state: 'off',
    reason: 'The bank asked for it.',
    since: expect.stringMatching(/Z$/),
    by: expect.stringMatching(/^operator:/),
  });
  expect(listed.filter(({ name }) => name === 'deposit')).toEqual([
    expect.objectContaining({ client: null, state: 'on' }),
    expect.objectContaining({ client: clientId, state: 'off' }),
  ]);
  expect((await operator(['capability', 'on', 'payout', '--reason', 'Mended.'])).text).toBe('payout is on.');
  const audited = await test.database.query(
    `select action, after from audit_log where subject = 'payout' order by id`,
  );
  expect(audited).toEqual([
    { action: 'capability.off', after: { state: 'off', changed: true, reason: 'The bank asked for it.' } },
    { action: 'capability.off', after: { state: 'off', changed: false, reason: 'The bank asked for it.' } },
    { action: 'capability.on', after: { state: 'on', changed: true, reason: 'Mended.' } },
  ]);
});

it('switches a party off with its capabilities, and shows parties that the configuration switches off', async () => {
  await operator(['party', 'off', 'external-cards', ...because]);
  expect(await states('party', { PARTY_BANK: 'off' })).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'external-cards', state: 'off' }),
      expect.objectContaining({ name: 'bank', state: 'left out' }),
      expect.objectContaining({ name: 'rates', state: 'on', since: null }),
    ]),
  );
  const topup = (await states('capability')).find(({ name }) => name === 'card_topup');
  expect(topup).toMatchObject({ state: 'off', reason: 'external-cards: The bank asked for it.' });
  expect((await operator(['party', 'list'])).text).toContain('The bank asked for it.');
  expect((await operator(['party', 'on', 'external-cards', ...because])).code).toBe(0);
});

it.each([
  [['capability', 'off', 'payout'], 2, /--reason/],
  [['capability', 'off', 'gambling', ...because], 2, /transfer, card_issuing/],
  [['party', 'off', 'moon', ...because], 2, /card-processor, cardholder-review/],
  [['capability', 'off', 'payout', '--client', 'cli_nobody', ...because], 3, /not found/],
])('refuses %j', async (argv, exit, message) => {
  const { code, err } = await operator(argv);
  expect([code, err]).toEqual([exit, expect.stringMatching(message)]);
});
