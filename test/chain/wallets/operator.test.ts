import { switchOff } from '../../../src/process/switches/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { command, commandReading, operatorEnvironment } from '../../support/operator';
import { insertNetwork } from './support';

const JUNK = `${'test '.repeat(11)}junk`;

let api: TestApi;
let client: Client;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await testApi();
  await insertNetwork(api.database);
  environment = await operatorEnvironment(api.database);
  client = await api.client();
});
afterAll(() => api.close());

const allocate = async (reference: string) => {
  const accountId = await masterAccount(client);
  return client.call('POST', '/v1/wallets/allocate', { chain: 'local', asset: 'USDT', accountId, reference });
};

describe('the seed at the command line', () => {
  it('is imported from the standard input while there is no wallet, and never told', async () => {
    expect((await command(environment, 'wallet', 'seed', 'status')).out).toContain('There is no seed');
    const wrong = await commandReading(`${JUNK} test`, environment, 'wallet', 'seed', 'import', '--json');
    expect([wrong.code, JSON.parse(wrong.err).field]).toEqual([2, 'mnemonic']);
    expect(wrong.err).not.toContain('junk');
    const done = await commandReading(`  ${JUNK.toUpperCase()}\n`, environment, 'wallet', 'seed', 'import');
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringContaining('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
    ]);
    const stored = JSON.stringify(await api.database.query('select action, before, after from audit_log'));
    expect(stored).toContain('wallet.seed.import');
    expect(stored).not.toMatch(/junk|xpub/);
  });

  it('stays once wallets are derived from it', async () => {
    const { body } = await allocate('first');
    expect(body.address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    const refused = await commandReading(JUNK, environment, 'wallet', 'seed', 'import', '--json');
    expect([refused.code, JSON.parse(refused.err).code]).toEqual([4, 'invalid_transition']);
    const { out } = await command(environment, 'wallet', 'seed', 'status', '--json');
    expect(JSON.parse(out)).toMatchObject({ exists: true, inUse: true });
  });
});

describe('a wallet that the operator disables', () => {
  it('is nobody’s from then on, until it is enabled and has rested', async () => {
    const { address, id } = (await allocate('second')).body;
    const args = ['local', address, '--reason', 'a leak', '--json'];
    const done = await command(environment, 'wallet', 'disable', ...args);
    expect(JSON.parse(done.out)).toEqual({ chain: 'local', address, status: 'disabled', ended: id });
    expect((await command(environment, 'wallet', 'disable', ...args)).code).toBe(4);
    const told = await allocate('second');
    expect(told.body).toMatchObject({ status: 'disabled', endedAt: expect.any(String) });
    expect((await allocate('third')).body.address).not.toBe(address);
    expect((await command(environment, 'wallet', 'stats')).out).toMatch(/local +0 +2 +0 +1 +3/);
    expect((await command(environment, 'wallet', 'enable', 'local', address)).out).toContain('quarantined');
    expect((await allocate('fourth')).body.address).not.toBe(address);
    await api.database.query("update wallets set quarantined_until = now() where status = 'quarantined'");
    expect((await allocate('fifth')).body.address).toBe(address);
    expect((await command(environment, 'wallet', 'disable', 'nowhere', address, '--reason', 'x')).code).toBe(
      3,
    );
  });
});

it('is off where the capability is', async () => {
  const by = { at: new Date(), by: 'test', reason: 'test' };
  const what = { kind: 'capability', name: 'crypto', tenantId: client.clientId } as const;
  await api.database.transaction((tx) => switchOff(tx, what, by));
  await new Promise((resolve) => setTimeout(resolve, 1_050)); // a change counts within a second
  for (const path of ['/v1/wallets/allocate', '/v1/wallets/release']) {
    const refused = await client.call('POST', path, {});
    expect([refused.status, refused.body.code]).toEqual([403, 'capability_disabled']);
  }
});
