import { deriveWallets, findWallet, ownerAt, poolAddresses } from '../../../src/chain/wallets/operations';
import { newId } from '../../../src/kernel/ids';
import type { Parties } from '../../../src/parties/parties';
import { createLocalSigner } from '../../../src/parties/signer/local';
import type { Services } from '../../../src/services';
import { type TestDatabase, testDatabase } from '../../support/database';
import { seedKeys, testKeyring } from '../../support/keyring';
import { insertNetwork } from './support';

describe('the pool of wallets', () => {
  let db: TestDatabase;
  const keyring = testKeyring(Buffer.alloc(32, 7));
  let services: Pick<Services, 'parties' | 'keyring'>;
  beforeAll(async () => {
    db = await testDatabase();
    const signer = createLocalSigner({
      database: db.database,
      ...seedKeys(keyring),
    });
    services = { parties: { signer } as Parties, keyring };
    await insertNetwork(db.database);
  });
  afterAll(() => db.drop());

  it('derives each index once, whatever the purpose, in parallel requests', async () => {
    const derive = (purpose: 'pool' | 'station', count: number) =>
      db.database.transaction((tx) =>
        deriveWallets(services, tx, { chain: 'local', kind: 'evm', count, purpose }),
      );
    const made = (
      await Promise.all([
        derive('pool', 3),
        derive('station', 1),
        ...Array(6)
          .fill(0)
          .map(() => derive('pool', 1)),
      ])
    ).flat();
    expect(made.map(({ derivationIndex }) => derivationIndex).sort((a, b) => a - b)).toEqual([
      ...Array(10).keys(),
    ]);
    expect(new Set(made.map(({ address }) => address)).size).toBe(10);
    const pool = await poolAddresses(db.database, 'local');
    expect([...pool].sort()).toEqual(
      made
        .filter(({ purpose }) => purpose === 'pool')
        .map(({ address }) => address)
        .sort(),
    );
    expect(await findWallet(db.database, 'local', pool[0] ?? '')).toMatchObject({
      status: 'available',
      purpose: 'pool',
    });
  });

  it('gives no address on two chains, in parallel requests', async () => {
    await insertNetwork(db.database, { chain: 'second', chainId: 5 });
    const derive = (chain: string) =>
      db.database.transaction((tx) =>
        deriveWallets(services, tx, { chain, kind: 'evm', count: 2, purpose: 'pool' }),
      );
    const made = (await Promise.all(['local', 'second', 'local', 'second'].map(derive))).flat();
    expect(new Set(made.map(({ address }) => address)).size).toBe(8);
  });

  it("finds the holder at a block's time, which counts whole seconds and may be early", async () => {
    const [wallet] = await db.database.transaction((tx) =>
      deriveWallets(services, tx, { chain: 'local', kind: 'evm', count: 1, purpose: 'pool' }),
    );
    const tenant = newId('tenant');
    await db.database.query('update wallets set tenant_id = $2 where id = $1', [wallet?.id, tenant]);
    const allocate = (reference: string, from: string, to: string | null, expires: string | null) =>
      db.database.query(
        `insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, ended_at, expires_at,
           created_at, updated_at) values ($1, $2, $3, $4, 'USDT', $5, $6, $7, $8, $6, $6)`,
        [newId('walletAllocation'), wallet?.id, tenant, newId('account'), reference, from, to, expires],
      );
    await allocate('first', '2026-01-01T10:00:00.700Z', '2026-01-01T11:00:00.000Z', null);
    await allocate(
      'second',
      '2026-01-02T11:00:00.000Z',
      '2026-01-02T13:00:00.000Z',
      '2026-01-02T12:00:00.000Z',
    );
    await allocate('third', '2026-01-03T13:00:00.000Z', null, '2026-01-03T14:00:00.000Z');
    const at = async (time: string) =>
      (
        await ownerAt(db.database, keyring, {
          chain: 'local',
          address: wallet?.address ?? '',
          at: new Date(time),
        })
      )?.reference;
    expect(await at('2026-01-01T09:58:00Z')).toBeUndefined();
    expect(await at('2026-01-01T09:59:45Z')).toBeUndefined();
    expect(await at('2026-01-01T09:59:46Z')).toBe('first');
    expect(await at('2026-01-01T10:00:00Z')).toBe('first');
    expect(await at('2026-01-01T10:59:59Z')).toBe('first');
    expect(await at('2026-01-01T11:00:00Z')).toBeUndefined();
    expect(await at('2026-01-02T10:59:59Z')).toBeUndefined(); // it may be the earlier payer's
    expect(await at('2026-01-02T11:00:00Z')).toBe('second');
    expect(await at('2026-01-02T11:59:59Z')).toBe('second');
    expect(await at('2026-01-02T12:30:00Z')).toBeUndefined(); // it had expired
    expect(await at('2026-01-03T13:30:00Z')).toBe('third');
    expect(await at('2026-01-03T14:00:00Z')).toBeUndefined();
  });
});
