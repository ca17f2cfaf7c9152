/** @long */
import { disableWallet, enableWallet } from '../../../src/chain/wallets/disable';
import { deriveWallets } from '../../../src/chain/wallets/operations';
import { TTL_SECONDS } from '../../../src/chain/wallets/rules';
import { returnRested } from '../../../src/chain/wallets/store';
import { newId } from '../../../src/kernel/ids';
import type { Client, TestApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { type AllocatingWorld, allocatingWorld, allocationCalls, insertNetwork } from './support';

let world: AllocatingWorld;
let api: TestApi;
let client: Client;
let accountId: string;
beforeAll(async () => {
  world = await allocatingWorld();
  ({ api } = world);
});
beforeEach(async () => {
  ({ client, accountId } = await world.anew());
});
afterAll(() => api.close());

const DAY_MS = 86_400_000;
const { terms, allocate, release } = allocationCalls(() => ({ client, accountId }));

describe('allocating a wallet', () => {
  it('gives each payer an address of its own, and the same one for the same reference', async () => {
    const asked = terms({ ttlSeconds: 3_600 });
    const made = await allocate(asked);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^wla_/),
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        chain: 'local',
        asset: 'USDT',
        accountId,
        reference: asked.reference,
        status: 'allocated',
        permanent: false,
        expiresAt: '2026-03-01T13:00:00.000Z',
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:00:00.000Z',
      },
    ]);
    const again = await allocate(asked);
    expect([again.status, again.body]).toEqual([200, made.body]);
    const start = api.commands.filter(({ args }) => args[0] === made.body.id);
    expect(start).toMatchObject([
      { workflow: 'walletAllocation', workflowId: `wallet-allocation-${made.body.id}`, action: 'start' },
    ]);
  });

  it('returns the earlier wallet, and allocates no other, when the network no longer carries the asset', async () => {
    const asked = terms({ chain: 'other' });
    const made = await allocate(asked);
    await api.database.query(`update networks set assets = '[]' where chain = 'other'`);
    const again = await allocate(asked);
    expect([again.status, again.body]).toEqual([200, made.body]);
    expect((await allocate(terms({ chain: 'other' }))).body).toMatchObject({ field: 'asset' });
    await api.database.query(
      `update networks set assets = (select assets from networks where chain = 'local') where chain = 'other'`,
    );
  });

  it('opens the ledger accounts of a deposit, and starts no workflow without an end', async () => {
    const made = await allocate(terms());
    expect(made.body).not.toHaveProperty('expiresAt');
    expect(api.commands.filter(({ args }) => args[0] === made.body.id)).toEqual([]);
    const accounts = await api.database.query<{ id: string }>(
      `select id from ledger_accounts where id like '%@local:USDT' order by id`,
    );
    expect(accounts.map(({ id }) => id)).toEqual(
      ['gas', 'pool', 'station', 'treasury'].map((name) => `${name}@local:USDT`),
    );
  });

  it('refuses a reference with other terms', async () => {
    const asked = terms({ ttlSeconds: 600 });
    await allocate(asked);
    const euros = await masterAccount(client, 'EUR');
    for (const other of [
      { chain: 'other' },
      { asset: 'ETH' },
      { accountId: euros },
      { ttlSeconds: 601 },
      { ttlSeconds: undefined },
    ]) {
      const { status, body } = await allocate({ ...asked, ...other });
      expect([status, body.code, body.field]).toEqual([400, 'ErrAlreadyExists', 'reference']);
    }
    const stranger = await api.client();
    const own = { ...asked, accountId: await masterAccount(stranger) };
    expect((await allocate(own, stranger)).status).toBe(201); // references are unique within a tenant only
  });

  it('gives 50 requests at once a wallet each', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => allocate(terms())));
    expect(made.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set(made.map(({ body }) => body.address)).size).toBe(50);
  });

  it('gives 50 requests with one reference one wallet', async () => {
    const asked = terms();
    const answers = await Promise.all(Array.from({ length: 50 }, () => allocate(asked)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('takes available wallets before deriving, and skips those that others are taking', async () => {
    const derived = await api.database.transaction((tx) =>
      deriveWallets(api.services, tx, { chain: 'other', kind: 'evm', count: 8, purpose: 'pool' }),
    );
    const made = await Promise.all(Array.from({ length: 8 }, () => allocate(terms({ chain: 'other' }))));
    expect(made.map(({ body }) => body.address).sort()).toEqual(derived.map(({ address }) => address).sort());
  });

  it('never allocates a station', async () => {
    await insertNetwork(api.database, { chain: 'third', chainId: 7 });
    const [station] = await api.database.transaction((tx) =>
      deriveWallets(api.services, tx, { chain: 'third', kind: 'evm', count: 1, purpose: 'station' }),
    );
    expect((await allocate(terms({ chain: 'third' }))).body.address).not.toBe(station?.address);
  });

  it.each([
    ['chain', { chain: 'nowhere' }, 404, 'not_found'],
    ['accountId', { accountId: 'acc_01jz0000000000000000000000' }, 404, 'not_found'],
    ['asset', { asset: 'ETH' }, 400, 'invalid_request'],
    ['asset', { asset: 'DOGE' }, 400, 'invalid_request'],
    ['ttlSeconds', { ttlSeconds: TTL_SECONDS.min - 1 }, 400, 'invalid_request'],
    ['ttlSeconds', { ttlSeconds: TTL_SECONDS.max + 1 }, 400, 'invalid_request'],
    ['ttlSeconds', { ttlSeconds: 90.5 }, 400, 'invalid_request'],
    ['reference', { reference: '' }, 400, 'invalid_request'],
    ['reference', { reference: 'x'.repeat(201) }, 400, 'invalid_request'],
    ['label', { label: 'x' }, 400, 'invalid_request'],
    ['chain', { chain: 'off' }, 409, 'invalid_transition'],
  ])('refuses a wrong %s %j and changes nothing', async (field, given, status, code) => {
    const count = () => api.database.query('select count(*) from wallets, wallet_allocations');
    const before = await count();
    const refused = await allocate(terms(given));
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([status, code, field]);
    expect(await count()).toEqual(before);
  });

  it("refuses another tenant's account, a closed one, and one whose user is blocked", async () => {
    const stranger = await api.client();
    const others = await allocate(terms(), stranger);
    expect([others.status, others.body.field]).toEqual([404, 'accountId']);
    const user = (await client.call('POST', '/v1/users', {})).body.id;
    const opened = await client.call('POST', `/v1/users/${user}/accounts`, { currency: 'USD' });
    await client.call('PATCH', `/v1/users/${user}/status`, { status: 'blocked' });
    expect((await allocate(terms({ accountId: opened.body.id }))).body.code).toBe('user_blocked');
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [accountId]);
    expect((await allocate(terms())).body.code).toBe('account_closed');
  });
});

describe('releasing a wallet', () => {
  it('quarantines it for a day before another payer gets it', async () => {
    const chain = 'resting';
    await insertNetwork(api.database, { chain, chainId: 8 });
    const asked = terms({ chain, ttlSeconds: 86_400 });
    const { address, id } = (await allocate(asked)).body;
    world.later(60_000);
    const ended = await release({ chain, address: address.toLowerCase() });
    expect([ended.status, ended.body]).toMatchObject([
      200,
      { id, address, status: 'quarantined', endedAt: '2026-03-01T12:01:00.000Z' },
    ]);
    expect(api.commands.filter(({ args }) => args[0] === id).map(({ action }) => action)).toEqual([
      'start',
      'look',
    ]);
    expect((await allocate(terms({ chain }))).body.address).not.toBe(address);
    world.later(DAY_MS - 1);
    expect((await allocate(terms({ chain }))).body.address).not.toBe(address);
    world.later(1);
    const next = await allocate(terms({ chain }));
    expect(next.body.address).toBe(address);
    // The former payer sees only the state of the own allocation.
    expect((await allocate(asked)).body).toMatchObject({ status: 'available', endedAt: expect.any(String) });
    const again = await release({ chain, address });
    expect(again.body.id).toBe(next.body.id); // the tenant's newest allocation
  });

  it.each(['at its next use', 'by the hourly return', 'by being disabled and enabled'])(
    'never gives it to another tenant after it has rested %s',
    async (how) => {
      const chain = `kept-${how.length}`;
      await insertNetwork(api.database, { chain, chainId: 100 + how.length });
      const { address } = (await allocate(terms({ chain }))).body;
      await release({ chain, address });
      if (how.startsWith('by being')) {
        await api.database.transaction((tx) => disableWallet(api.services, tx, { chain, address }));
        await api.database.transaction((tx) => enableWallet(api.services, tx, { chain, address }));
      }
      world.later(DAY_MS);
      if (how.startsWith('by the')) {
        const ripe = { chain, at: world.clock.at, to: 'available', limit: 10 } as const;
        expect(await api.database.transaction((tx) => returnRested(tx, ripe))).toBe(1);
      }
      const stranger = await api.client();
      const theirs = terms({ chain, accountId: await masterAccount(stranger) });
      const given = await allocate(theirs, stranger);
      expect(given.status).toBe(201);
      expect(given.body.address).not.toBe(address);
      expect((await allocate(terms({ chain }))).body.address).toBe(address);
    },
  );

  it('gives a tenant its own wallets before unused ones, which any tenant may have', async () => {
    const chain = 'own-first';
    await insertNetwork(api.database, { chain, chainId: 90 });
    const of = { chain, kind: 'evm', count: 3, purpose: 'pool' } as const;
    const [first, second] = await api.database.transaction((tx) => deriveWallets(api.services, tx, of));
    const stranger = await api.client();
    const theirs = { chain, accountId: await masterAccount(stranger) };
    expect((await allocate(terms(theirs), stranger)).body.address).toBe(first?.address);
    await release({ chain, address: first?.address }, stranger);
    world.later(DAY_MS);
    expect((await allocate(terms({ chain }))).body.address).toBe(second?.address);
    expect((await allocate(terms(theirs), stranger)).body.address).toBe(first?.address);
  });

  it('cannot be given to another tenant: the database refuses the row', async () => {
    const { id } = (await allocate(terms())).body;
    const copy = api.database.query(
      `insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, ended_at, created_at, updated_at)
       select $2, wallet_id, $3, account_id, asset, reference, now(), now(), now(), now() from wallet_allocations where id = $1`,
      [id, newId('walletAllocation'), newId('tenant')],
    );
    await expect(copy).rejects.toThrow('wallet_allocations_of_tenant');
  });

  it('answers a repeated release, and changes nothing', async () => {
    const { chain, address } = (await allocate(terms())).body;
    const first = await release({ chain, address });
    world.later(1_000);
    expect((await release({ chain, address })).text).toBe(first.text);
  });

  it('ends one allocation, however many requests release it at once', async () => {
    const { chain, address } = (await allocate(terms())).body;
    const answers = await Promise.all(Array.from({ length: 10 }, () => release({ chain, address })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('is refused to everybody else', async () => {
    const { chain, address } = (await allocate(terms())).body;
    const stranger = await api.client();
    const refused = await release({ chain, address }, stranger);
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    for (const [field, named] of [
      ['chain', { chain: 'nowhere', address }],
      ['address', { chain: 'other', address }],
      ['address', { chain, address: '0x00' }],
    ] as const) {
      const unknown = await release(named);
      expect([unknown.status, unknown.body.field]).toEqual([404, field]);
    }
    const admin = await api.client('admin');
    const released = (await release({ chain, address }, admin)).body;
    expect(released.status).toBe('quarantined');
    // The operator also sees the wallet's id; a client does not.
    const [wallet] = await api.database.query<{ id: string }>('select id from wallets where address = $1', [
      address,
    ]);
    expect(released.walletId).toBe(wallet?.id);
    expect((await release({ chain, address })).body).not.toHaveProperty('walletId');
    const [line] = await api.database.query(
      `select action, tenant_id from audit_log where action = 'wallets.release' order by id desc limit 1`,
    );
    expect(line).toMatchObject({ tenant_id: client.clientId });
  });
});
