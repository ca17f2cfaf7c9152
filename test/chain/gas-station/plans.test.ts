/** @long */
import { scannedTo } from '../../../src/chain/gas-station/station-topups/store';
import { stationWallets } from '../../../src/chain/wallets/operations';
import { expectIndexes } from '../../growth/explain';
import { filledApi, MADE_AT } from '../../growth/filled';
import type { Statement } from '../../growth/spy';
import type { Client, TestApi } from '../../support/api';

/** Plans of the gas station's lists over many rows: no full scan of a table (see test/growth). */
const LARGE = ['wallets', 'station_topups', 'station_scans', 'gas_operations'];

let api: TestApi;
let admin: Client;
let statements: Statement[];
beforeAll(async () => {
  ({ api, admin, statements } = await filledApi(FILLS));
});
afterAll(() => api.close());

const FILLS = [
  `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, created_at, updated_at)
   select 'wal_' || lpad(n::text, 26, '0'), 'chain-' || n % 3, 'evm', '0x' || n, n, case when n % 5000 = 0 then 'station' else 'pool' end,
          case when n % 4 = 0 then 'allocated' else 'available' end, ${MADE_AT}, ${MADE_AT} from generate_series(1, $1::int) n`,
  `insert into station_topups (id, chain, address, tx_hash, ordinal, from_address, asset, units, amount, paid_by, reference,
     block_number, block_hash, block_at, created_at)
   select 'stp_' || lpad(n::text, 26, '0'), 'chain-' || n % 3, '0x1', '0x' || n, -1, '0x2', 'ETH', 1, 1, 'funding', 'ref_' || n,
          n, '0x' || n, ${MADE_AT}, ${MADE_AT} from generate_series(1, $1::int) n`,
  `insert into station_scans (chain, address, scanned_to, updated_at) select 'chain-' || n % 3, '0x' || n, n, ${MADE_AT} from generate_series(1, $1::int) n`,
];

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const period = () => `from=${ago(50)}&to=${ago(49)}`;

it.each([
  ['wallets', () => 'wallets'],
  ['wallets of a chain', () => 'wallets?chain=chain-1'],
  ['wallets of an unknown chain', () => 'wallets?chain=nowhere'],
  ['wallets of a status', () => 'wallets?status=disabled'],
  ['available wallets', () => 'wallets?status=available'],
  ['quarantined wallets', () => 'wallets?status=quarantined'],
  ['the stations', () => 'wallets?purpose=station'],
  ['wallets of a period', () => `wallets?${period()}`],
  ['wallets of a status and a period', () => `wallets?status=allocated&${period()}`],
  ['station top-ups', () => 'station-topups'],
  ['station top-ups of a chain', () => 'station-topups?chain=chain-1'],
  ['station top-ups of one station', () => 'station-topups?address=0x1&paidBy=funding'],
  ['station top-ups of an unknown station', () => 'station-topups?address=0x2'],
  ['station top-ups of a period', () => `station-topups?chain=chain-2&${period()}`],
])('lists %s', async (_, path) => {
  await expectIndexes({ database: api.database, statements, large: LARGE }, async () =>
    expect((await admin.call('GET', `/v1/gas-station/${path()}`)).status).toBe(200),
  );
});

it('the stations of a chain, and how far each is scanned', async () => {
  const sql = api.services.database;
  await expectIndexes({ database: api.database, statements, large: LARGE }, async () => {
    await stationWallets(sql, 'chain-1');
    await scannedTo(sql, { chain: 'chain-1', address: '0x1' });
    await scannedTo(sql, { chain: 'chain-1', address: '0x2' });
  });
});
