import { allocateWallet } from '../../../src/chain/wallets/allocations/allocate';
import type { Client, TestApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { type AllocatingWorld, allocatingWorld, allocationCalls } from './support';

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

describe("the limit of a company's wallets", () => {
  const bound = (openAllocations: number) =>
    api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
      client.clientId,
      JSON.stringify({ wallets: { openAllocations } }),
    ]);
  const held = async () => {
    const [row] = await api.database.query<{ count: number }>(
      'select count(*)::int from wallet_allocations where tenant_id = $1 and ended_at is null',
      [client.clientId],
    );
    return row?.count;
  };

  it('holds for parallel requests, answers known references, and counts released wallets until they have rested', async () => {
    await bound(3);
    const asked = Array.from({ length: 20 }, () => terms());
    const answers = await Promise.all(asked.map((each) => allocate(each)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array(17).fill([409, 'limit_exceeded']),
    );
    expect(refused[0]?.body.message).toMatch(/3 wallets.*[Rr]elease.*wallets\.openAllocations/);
    expect(await held()).toBe(3);
    const of = answers.findIndex(({ status }) => status === 201);
    expect((await allocate(asked[of] as object)).status).toBe(200);
    await release({ chain: 'local', address: answers[of]?.body.address });
    world.later(DAY_MS - 1);
    expect((await allocate(terms())).body.code).toBe('limit_exceeded');
    world.later(1);
    expect((await allocate(terms())).status).toBe(201);
    expect((await allocate(terms())).body.code).toBe('limit_exceeded');
    await bound(4);
    expect((await allocate(terms())).status).toBe(201);
    await bound(2);
    expect((await allocate(terms())).body.code).toBe('limit_exceeded');
  });

  it('keeps a loop of allocations and releases from deriving new addresses', async () => {
    await bound(3);
    const derived = async () => (await api.database.query('select id from wallets')).length;
    await api.database.query(`update wallets set status = 'disabled', quarantined_until = null`);
    const before = await derived();
    const answers: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const made = await allocate(terms());
      answers.push(made.body.code ?? made.status);
      if (made.status === 201) await release({ chain: 'local', address: made.body.address });
    }
    expect(answers).toEqual([201, 201, 201, 'limit_exceeded', 'limit_exceeded', 'limit_exceeded']);
    expect(await derived()).toBe(before + 3);
  });

  it('does not count wallets whose cooldown is over, even before that is stored', async () => {
    await bound(1);
    await allocate(terms({ ttlSeconds: 60 }));
    world.later(DAY_MS + 59_999);
    expect((await allocate(terms())).body.code).toBe('limit_exceeded');
    world.later(1);
    expect((await allocate(terms())).status).toBe(201);
  });

  it('counts again when the cooldown is longer than at the last count', async () => {
    const asked = { chain: 'local', asset: 'USDT', accountId };
    const allocating = (reference: string, days: number) =>
      api.database.transaction((tx) =>
        allocateWallet(
          { ...api.services, walletQuarantineSeconds: (days * DAY_MS) / 1_000 },
          tx,
          { ...asked, reference },
          client.clientId,
        ),
      );
    await bound(2);
    for (const reference of ['one', 'two']) await allocating(reference, 1);
    await api.database.query('update wallet_allocations set ended_at = $2 where tenant_id = $1', [
      client.clientId,
      world.clock.at,
    ]);
    world.later(DAY_MS);
    await allocating('three', 1);
    await expect(allocating('four', 2)).rejects.toMatchObject({ code: 'limit_exceeded' });
    await allocating('four', 1);
  });

  it('is 10,000 by default, for each company', async () => {
    await api.database.query(
      `with made as (
         insert into wallets (id, chain, kind, address, derivation_index, purpose, status, tenant_id, created_at, updated_at)
         select 'wal_' || lpad(n::text, 26, '0'), 'local', 'evm', '0xheld' || n, 1000000 + n, 'pool', 'allocated', $1, now(), now()
           from generate_series(1, 9999) n returning id)
       insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, created_at, updated_at)
       select 'wla' || substr(id, 4), id, $1, $2, 'USDT', id, now(), now(), now() from made`,
      [client.clientId, accountId],
    );
    expect((await allocate(terms())).status).toBe(201);
    expect((await allocate(terms())).body.code).toBe('limit_exceeded');
    const other = await api.client();
    expect((await allocate(terms({ accountId: await masterAccount(other) }), other)).status).toBe(201);
  });
});
