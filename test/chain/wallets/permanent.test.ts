import { joinScope } from '../../../src/chain/wallets/operations';
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
const everywhere = (given: object = {}) => terms({ permanent: true, scope: 'evm', ...given });

/** The networks on which the address is a wallet, and whose rows are open. */
const openOn = async (address: string) =>
  (
    await api.database.query<{ chain: string }>(
      `select w.chain from wallets w join wallet_allocations a on a.wallet_id = w.id and a.ended_at is null
        where w.address = $1 and w.status = 'allocated' order by 1`,
      [address],
    )
  ).map(({ chain }) => chain);

const indicesOf = async (address: string) =>
  api.database.query('select distinct derivation_index, tenant_id from wallets where address = $1', [
    address,
  ]);

describe('a permanent address', () => {
  it('has no end, shows so, and is the same for the same reference', async () => {
    const asked = terms({ permanent: true });
    const made = await allocate(asked);
    expect([made.status, made.body]).toMatchObject([
      201,
      { permanent: true, expiresAt: null, chain: 'local' },
    ]);
    expect(made.body).not.toHaveProperty('scope');
    expect(made.body).not.toHaveProperty('networks');
    world.later(1_000 * DAY_MS);
    const again = await allocate(asked);
    expect([again.status, again.body]).toEqual([200, made.body]);
    for (const other of [{ permanent: false }, { permanent: undefined }, { scope: 'evm' }]) {
      const { status, body } = await allocate({ ...asked, ...other });
      expect([status, body.code, body.field]).toEqual([400, 'ErrAlreadyExists', 'reference']);
    }
  });

  it('takes no time, and a scope takes it', async () => {
    for (const [given, field] of [
      [{ permanent: true, ttlSeconds: 600 }, 'ttlSeconds'],
      [{ scope: 'evm' }, 'scope'],
      [{ scope: 'evm', ttlSeconds: 600 }, 'scope'],
      [{ permanent: true, scope: 'tron' }, 'scope'],
    ] as const) {
      const { status, body } = await allocate(terms(given));
      expect([status, body.field]).toEqual([400, field]);
    }
  });
});

describe('an address on all EVM networks', () => {
  it('has one index on each enabled network, one holder, and one place of the limit', async () => {
    const asked = everywhere();
    const made = await allocate(asked);
    expect([made.status, made.body]).toMatchObject([
      201,
      { chain: 'local', permanent: true, scope: 'evm', networks: ['local', 'other'], expiresAt: null },
    ]);
    expect(await openOn(made.body.address)).toEqual(['local', 'other']);
    expect(await indicesOf(made.body.address)).toEqual([
      { derivation_index: expect.any(Number), tenant_id: client.clientId },
    ]);
    expect((await allocate(asked)).body).toEqual(made.body);
    const counted = 'select at_most from allocation_counts where tenant_id = $1';
    expect(await api.database.query(counted, [client.clientId])).toEqual([{ at_most: 1 }]);
    expect((await allocate({ ...asked, scope: undefined })).body).toMatchObject({ code: 'ErrAlreadyExists' });
  });

  it('is released on all networks together, and given again to its tenant only, together', async () => {
    const made = await allocate(everywhere());
    const { address } = made.body;
    const released = await release({ chain: 'other', address });
    expect([released.status, released.body]).toMatchObject([
      200,
      { chain: 'other', status: 'quarantined', networks: ['local', 'other'] },
    ]);
    expect(await openOn(address)).toEqual([]);
    expect((await release({ chain: 'local', address })).body).toMatchObject({ status: 'quarantined' });
    expect((await allocate(everywhere())).body.address).not.toBe(address); // it rests
    world.later(DAY_MS);
    const stranger = await api.client();
    const theirs = everywhere({ accountId: await masterAccount(stranger) });
    expect((await allocate(theirs, stranger)).body.address).not.toBe(address);
    expect((await allocate(terms())).body.address).not.toBe(address); // never to one network alone
    const again = await allocate(everywhere({ chain: 'other' }));
    expect(again.body).toMatchObject({ address, chain: 'other', networks: ['local', 'other'] });
    expect(await openOn(address)).toEqual(['local', 'other']);
  });

  it('gives each index to one holder when requests on two networks arrive together', async () => {
    const stranger = await api.client();
    const theirs = await masterAccount(stranger);
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, place) => {
        const chain = place % 2 === 0 ? 'local' : 'other';
        if (place % 3 === 0) return allocate(terms({ chain }));
        if (place % 3 === 1) return allocate(everywhere({ chain }));
        return allocate(everywhere({ chain, accountId: theirs }), stranger);
      }),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(24).fill(201));
    expect(new Set(made.map(({ body }) => body.address)).size).toBe(24);
    const shared = await api.database.query(
      `select w.derivation_index from wallet_allocations a join wallets w on w.id = a.wallet_id where a.ended_at is null
        group by 1 having count(distinct coalesce(a.scope_of, a.id)) > 1 or count(distinct w.address) > 1`,
    );
    expect(shared).toEqual([]);
    const released = made.filter(({ body }) => body.scope === 'evm' && body.accountId === accountId);
    await Promise.all(
      released.map(({ body }, place) =>
        release({ chain: place % 2 === 0 ? 'local' : 'other', address: body.address }),
      ),
    );
    world.later(DAY_MS);
    const again = await Promise.all(
      released.map((_, place) => allocate(everywhere({ chain: place % 2 === 0 ? 'other' : 'local' }))),
    );
    expect(new Set(again.map(({ body }) => body.address)).size).toBe(released.length);
  });

  it('gives 20 requests with one reference on two networks one address', async () => {
    const asked = everywhere();
    const answers = await Promise.all(Array.from({ length: 20 }, () => allocate(asked)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('refuses a second holder of its index in the database, too', async () => {
    const { body } = await allocate(everywhere());
    const second = `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, created_at, updated_at)
      select 'wal_second', 'off', kind, address, derivation_index, 'pool', 'available', now(), now() from wallets where address = $1 limit 1`;
    await expect(api.database.query(second, [body.address])).rejects.toThrow('has another wallet');
  });

  it('is joined by a network that is enabled later, once', async () => {
    const before = await allocate(everywhere());
    const gone = await allocate(everywhere());
    await release({ chain: 'local', address: gone.body.address });
    await insertNetwork(api.database, { chain: 'later', chainId: 77 });
    const join = () =>
      api.database.transaction((tx) => joinScope(api.services, tx, 'later', api.services.now()));
    expect(await join()).toBeGreaterThan(0);
    expect(await join()).toBe(0);
    expect(await openOn(before.body.address)).toEqual(['later', 'local', 'other']);
    expect(await openOn(gone.body.address)).toEqual([]);
    await release({ chain: 'later', address: before.body.address });
    expect(await openOn(before.body.address)).toEqual([]);
    await api.database.query(`update networks set enabled = false where chain = 'later'`);
  });

  it('takes no disabled network, and is kept by the account and the asset', async () => {
    const made = await allocate(everywhere());
    expect(await openOn(made.body.address)).toEqual(['local', 'other']);
    const refused = await allocate(everywhere({ chain: 'off' }));
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition']);
  });
});
