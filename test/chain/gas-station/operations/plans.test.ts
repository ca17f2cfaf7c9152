/** @long fills every table with 60,000 rows. */
import { spentToday } from '../../../../src/chain/gas-station/operations/budget';
import {
  committedBy,
  freedOf,
  keepBroadcast,
  keepSigned,
  operationSigned,
  otherHolderOf,
  releaseNonces,
  settledFrom,
  settledOf,
  settleFreed,
  settleNonces,
  shownAttemptsOf,
  takenNonces,
} from '../../../../src/chain/gas-station/operations/nonces-store';
import {
  countMembers,
  countOpen,
  failedSweeps,
  findOperation,
  freeMembers,
  gatherable,
  lockUnchanged,
  membersOf,
  openOperationsOf,
  operationOfHash,
  overdueGasOperations,
} from '../../../../src/chain/gas-station/operations/store';
import { ownTransactions } from '../../../../src/chain/gas-station/own-transactions';
import { arrivalsUnbooked, unbookedAt } from '../../../../src/chain/holdings/operations';
import { ownAmong } from '../../../../src/chain/wallets/operations';
import { expectIndexes } from '../../../growth/explain';
import { filledApi, MADE_AT } from '../../../growth/filled';
import type { Statement } from '../../../growth/spy';
import type { Client, TestApi } from '../../../support/api';

/** Plans of statements on operations and nonces over many rows: no full scan of a table (see test/growth). */
const LARGE = ['gas_operations', 'chain_nonces', 'station_topups', 'holding_changes', 'named_addresses'];

let api: TestApi;
let admin: Client;
let statements: Statement[];
beforeAll(async () => {
  ({ api, admin, statements } = await filledApi(FILLS));
});
afterAll(() => api.close());

const FILLS = [
  `insert into gas_operations (id, type, chain, wallet_id, asset, decimals, from_address, to_address, units, execution, status,
     tx_hash, fee_units, expires_at, executed_at, created_at, updated_at)
   select 'swp_' || lpad(n::text, 26, '0'), case when n % 2 = 0 then 'sweep' else 'topup' end, 'chain-' || n % 3,
          'wal_' || lpad(n::text, 26, '0'), 'USDT', 6, '0x1', '0x2', 1, 'local',
          case when n % 3000 = 0 then 'confirming' else 'completed' end, '0x' || n, 1, ${MADE_AT}, ${MADE_AT}, ${MADE_AT}, ${MADE_AT}
     from generate_series(1, $1::int) n`,
  `insert into chain_nonces (chain, address, nonce, attempt, operation_id, recipient, value, data, gas, max_fee_per_gas,
     max_priority_fee_per_gas, raw, hash, settled_at, created_at)
   select 'chain-' || n % 3, '0x' || n % 50, n, 0, 'swp_' || lpad(n::text, 26, '0'), '0x2', 0, '0x', 1, 1, 1, '0x' || n, '0x' || n,
          case when n % 3000 = 0 then null else ${MADE_AT} end, ${MADE_AT} from generate_series(1, $1::int) n`,
  `insert into holding_changes (chain, cause, address, asset, place, amount, booked, block_number)
   select 'chain-' || n % 3, 'swp_' || lpad(n::text, 26, '0'), '0x1', 'USDT', 'pool', -1, case when n % 3000 = 0 then 0 else -1 end, n
     from generate_series(1, $1::int) n`,
  `insert into named_addresses (chain, address, role, used) select 'chain-' || n % 3, '0x' || n, 'station', true from generate_series(1, $1::int) n`,
  `insert into station_topups (id, chain, address, tx_hash, ordinal, from_address, asset, units, amount, paid_by, reference,
     block_number, block_hash, block_at, created_at)
   select 'stp_' || lpad(n::text, 26, '0'), 'chain-' || n % 3, '0x1', '0x' || n, -1, '0x3', 'ETH', 1, 1,
          case when n % 500 = 0 then 'treasury' else 'funding' end, 'ref_' || n, n, '0x' || n, ${MADE_AT}, ${MADE_AT}
     from generate_series(1, $1::int) n`,
];

const explained = (work: () => Promise<unknown>) =>
  expectIndexes({ database: api.database, statements, large: LARGE }, work);

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const period = () => `from=${ago(50)}&to=${ago(49)}`;
const ID = `swp_${'77'.padStart(26, '0')}`;

it.each([
  ['that are open', () => ''],
  ['that are open on a chain', () => '?chain=chain-1'],
  ['of all kinds', () => '/history'],
  ['of a chain', () => '/history?chain=chain-1'],
  ['of an unknown chain', () => '/history?chain=nowhere'],
  ['of a status', () => '/history?status=failed'],
  ['of a type', () => '/history?type=topup'],
  ['of an asset', () => '/history?asset=USDT'],
  ['of an unused asset', () => '/history?asset=ETH'],
  ['of a wallet', () => `/history?walletId=wal_${'77'.padStart(26, '0')}`],
  ['of an unknown wallet', () => '/history?walletId=wal_1'],
  ['of a period', () => `/history?${period()}`],
])('operations %s', async (_, path) => {
  await explained(async () =>
    expect((await admin.call('GET', `/v1/gas-station/operations${path()}`)).status).toBe(200),
  );
});

it('look-ups of steps, budgets and checks', async () => {
  const sql = api.services.database;
  const at = new Date();
  await explained(async () => {
    await openOperationsOf(sql, ID.replace('swp', 'wal'));
    await countOpen(sql, 'chain-1');
    await operationOfHash(sql, 'chain-2', '0x77');
    await operationSigned(sql, 'chain-2', '0x77');
    await otherHolderOf(sql, { chain: 'chain-2', address: '0x27', nonce: 77 }, ID);
    await freedOf(sql, { chain: 'chain-2', address: '0x27' }, 77);
    await freedOf(sql, { chain: 'chain-2', address: '0x27' }, null);
    await settleFreed(sql, { chain: 'chain-2', operationId: ID, hash: '0x77' }, at);
    await sql.transaction(async (tx) => {
      keepSigned(tx, { number: '77', chain: 'chain-2' }, { raw: '0x', hash: '0x77' });
      keepBroadcast(tx, '77', at);
      settleNonces(tx, { chain: 'chain-2', operationId: ID, nonce: 77, hash: '0x77' }, at);
      releaseNonces(tx, ID, { at, isHandedOverToo: true });
    });
    await shownAttemptsOf(sql, ID);
    await settledOf(sql, ID);
    await settledFrom(sql, { chain: 'chain-2', address: '0x27', from: 59_900 });
    await ownAmong(sql, 'chain-2', ['0x1f']);
    await takenNonces(sql, { chain: 'chain-2', address: '0x27', from: 59_900 });
    await spentToday(sql, 'chain-1', at, ID);
    await overdueGasOperations.due(sql, { before: at, limit: 10, except: [] });
    await overdueGasOperations.count(sql, at);
  });
});

it('statements of a batch: gather, lock and free', async () => {
  const sql = api.services.database;
  const operation = await findOperation(sql, ID);
  if (!operation) throw new Error('it is filled');
  await explained(async () => {
    await gatherable(sql, operation, new Date(), 99);
    await lockUnchanged(sql, [operation]);
    const leader = { ...operation, stationAddress: '0x3' };
    await countMembers(sql, leader);
    await membersOf(sql, leader);
    await sql.transaction(async (tx) => freeMembers(tx, leader));
    const since = new Date(Date.now() - 3_600_000);
    await failedSweeps(sql, { chain: 'chain-2' }, since);
    await failedSweeps(sql, { chain: 'chain-2', walletId: ID.replace('swp', 'wal'), asset: 'USDT' }, since);
    await committedBy(sql, { chain: 'chain-2', address: '0x27', from: 59_900, except: ID });
  });
});

it("reconciliation of a chain's operations", async () => {
  const sql = api.services.database;
  await explained(async () => {
    await ownTransactions(sql, 'chain-2');
    await unbookedAt(sql, 'chain-2', 59_990);
    await arrivalsUnbooked(sql, 'chain-2', 59_990);
  });
});

it('reads only recent bookings', async () => {
  const read = await api.database.transaction(async (tx) => {
    const [before] = await tx.query<{ read: string }>(READ);
    await ownTransactions(tx, 'chain-2');
    const [after] = await tx.query<{ read: string }>(READ);
    return Number(after?.read) - Number(before?.read);
  });
  expect(read).toBeLessThan(200);
});

it('reads only unbooked changes, and changes of later blocks', async () => {
  const sql = api.services.database;
  const found = await unbookedAt(sql, 'chain-2', 59_990);
  expect(found.map(([key, amount]) => [key, amount.toFixed()])).toEqual([['pool:USDT', '3']]);
});

/** Rows that this transaction has fetched from the table. */
const READ = `select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::text as read from pg_stat_xact_user_tables where relname = 'gas_operations'`;
