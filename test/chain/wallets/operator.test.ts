import { auditOf } from '../../../src/kernel/audit/audit';
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

/** The seed's row: whether it is there and in use, its first address, and the index of the next wallet. */
const status = async (): Promise<{ nextIndex: number }> =>
  JSON.parse((await command(environment, 'wallet-seed', 'status', '--json')).out)[0];

describe('the seed at the command line', () => {
  it('is imported from standard input before the first wallet, and never shown', async () => {
    expect(await status()).toMatchObject({ status: 'none', createdAt: null, firstAddress: null });
    const wrong = await commandReading(`${JUNK} test`, environment, 'wallet-seed', 'import', '--json');
    expect([wrong.code, JSON.parse(wrong.err).field]).toEqual([2, 'mnemonic']);
    expect(wrong.err).not.toContain('junk');
    const done = await commandReading(`  ${JUNK.toUpperCase()}\n`, environment, 'wallet-seed', 'import');
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringContaining('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
    ]);
    const stored = JSON.stringify(await api.database.query('select action, before, after from audit_log'));
    expect(stored).toContain('wallet.seed.import');
    expect(stored).not.toMatch(/junk|xpub/);
  });

  it('cannot be replaced once wallets are derived from it', async () => {
    const { body } = await allocate('first');
    expect(body.address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    const refused = await commandReading(JUNK, environment, 'wallet-seed', 'import', '--json');
    expect([refused.code, JSON.parse(refused.err).code]).toEqual([4, 'invalid_transition']);
    expect(await status()).toMatchObject({ status: 'in use', firstAddress: body.address });
  });
});

describe('a wallet that the operator disables', () => {
  it('is allocated to nobody until it is enabled and has rested', async () => {
    const { address, id } = (await allocate('second')).body;
    const listed = await command(environment, 'wallet', 'list', '--address', address, '--json');
    const [wallet] = JSON.parse(listed.out) as [{ id: string; status: string }];
    expect(wallet.status).toBe('allocated');
    const preview = await command(environment, 'wallet', 'disable', wallet.id, '--preview');
    expect(preview.out).toMatch(new RegExp(`status +allocated +disabled\\nallocation +${id} +-`));
    const args = [wallet.id, '--reason', 'a leak', '--json'];
    const done = await command(environment, 'wallet', 'disable', ...args);
    expect(JSON.parse(done.out)).toEqual({ chain: 'local', address, status: 'disabled', ended: id });
    expect((await command(environment, 'wallet', 'disable', ...args)).code).toBe(4);
    const told = await allocate('second');
    expect(told.body).toMatchObject({ status: 'disabled', endedAt: expect.any(String) });
    expect((await allocate('third')).body.address).not.toBe(address);
    expect((await command(environment, 'wallet', 'stats')).out).toMatch(/local +0 +2 +0 +1 +3/);
    expect((await command(environment, 'wallet', 'enable', wallet.id)).out).toContain('quarantined');
    expect((await allocate('fourth')).body.address).not.toBe(address);
    await api.database.query("update wallets set quarantined_until = now() where status = 'quarantined'");
    expect((await allocate('fifth')).body.address).toBe(address);
    expect((await command(environment, 'wallet', 'disable', 'wal_none', '--reason', 'x')).code).toBe(3);
    const entries = await auditOf(api.database, wallet.id, 10);
    expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['wallet.disable', { status: 'allocated' }, { status: 'disabled', ended: id, reason: 'a leak' }],
      ['wallet.enable', { status: 'disabled' }, { status: 'quarantined', reason: null }],
    ]);
  });
});

describe('skipping indexes after a restore', () => {
  const skipTo = (index: number | string) =>
    command(environment, 'wallet-seed', 'skip-to', `--index=${index}`, '--reason', 'a restore', '--json');
  const derived = async (reference: string) => {
    const { address } = (await allocate(reference)).body;
    const [row] = await api.database.query<{ index: number }>(
      'select derivation_index as index from wallets where address = $1',
      [address],
    );
    return { address, index: row?.index as number };
  };

  it('derives no address again that was allocated after the backup', async () => {
    const { nextIndex } = await status();
    const lost = await derived('after the backup');
    expect(lost.index).toBe(nextIndex);
    await api.database.query(`delete from wallet_allocations where reference = 'after the backup'`);
    await api.database.query('delete from wallets where derivation_index = $1', [lost.index]);
    expect((await status()).nextIndex).toBe(nextIndex);
    const index = lost.index + 40;
    const done = await skipTo(index);
    expect([done.code, JSON.parse(done.out)]).toEqual([0, { nextIndex: { evm: index } }]);
    expect(await derived('after the restore')).toMatchObject({ index });
    expect(await derived('the one after it')).toMatchObject({ index: index + 1 });
    const lines = await api.database.query(
      `select before, after from audit_log where action = 'wallet-seed.skip-to'`,
    );
    expect(lines).toEqual([{ before: { evm: lost.index }, after: { evm: index, reason: 'a restore' } }]);
  });

  it('refuses a lower index', async () => {
    const evm = (await status()).nextIndex;
    expect((await skipTo(evm + 5)).code).toBe(0);
    expect((await skipTo(evm + 5)).code).toBe(0);
    const lower = await skipTo(evm + 4);
    expect([lower.code, JSON.parse(lower.err)]).toMatchObject([
      4,
      { code: 'invalid_transition', field: 'index' },
    ]);
    const far = await skipTo(1_000_000_001);
    expect([far.code, JSON.parse(far.err)]).toMatchObject([2, { field: 'index' }]);
    expect((await skipTo('-1')).code).toBe(2);
    expect((await status()).nextIndex).toBe(evm + 5);
    for (const change of [
      'update wallet_index_floors set lowest = lowest - 1',
      'delete from wallet_index_floors',
    ])
      await expect(api.database.query(change)).rejects.toThrow('only ever raised');
  });
});

it('refuses allocations and releases while the capability is off', async () => {
  const by = { at: new Date(), by: 'test', reason: 'test' };
  const what = { kind: 'capability', name: 'crypto', tenantId: client.clientId } as const;
  await api.database.transaction((tx) => switchOff(tx, what, by));
  await new Promise((resolve) => setTimeout(resolve, 1_050)); // a switch takes effect within a second
  for (const path of ['/v1/wallets/allocate', '/v1/wallets/release']) {
    const refused = await client.call('POST', path, {});
    expect([refused.status, refused.body.code]).toEqual([403, 'capability_disabled']);
  }
});
