import { ensureCoin, keepCoins, readCoins } from '../../../src/kernel/ledger/coins';
import {
  allCurrencies,
  coinRefusal,
  decimalsOf,
  isAsset,
  isCurrency,
  isFiat,
} from '../../../src/kernel/money/currencies';
import { type TestDatabase, testDatabase } from '../../support/database';
import { until } from '../../support/until';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(4);
});
afterAll(() => test.drop());

const add = (symbol: string, decimals: number) =>
  test.runtime.transaction((tx) => ensureCoin(tx, { symbol, decimals }, new Date()));

it('a coin is a currency of the process after the commit, and never before', async () => {
  const failed = test.runtime.transaction(async (tx) => {
    await ensureCoin(tx, { symbol: 'BNB', decimals: 18 }, new Date());
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  expect(isCurrency('BNB')).toBe(false);
  await add('BNB', 18);
  await add('BNB', 18);
  expect([isAsset('BNB'), isFiat('BNB'), decimalsOf('BNB')]).toEqual([true, false, 18]);
  expect(allCurrencies()).toContain('BNB');
});

it('a coin that another process adds is known soon', async () => {
  const kept = keepCoins(test.runtime, await readCoins(test.runtime));
  await test.database.query(`insert into coins (symbol, decimals, created_at) values ('AVAX', 18, now())`);
  await until(() => isCurrency('AVAX'));
  await kept.stop();
  expect(decimalsOf('AVAX')).toBe(18);
});

it.each([
  ['EUR', 18, 'symbol'],
  ['XAU', 18, 'symbol'],
  ['bnb', 18, 'symbol'],
  ['B', 18, 'symbol'],
  ['ETH', 6, 'decimals'],
  ['USDT', 18, 'decimals'],
])('the ledger takes no coin %s with %i decimals', async (symbol, decimals, field) => {
  expect(coinRefusal({ symbol, decimals })?.in).toBe(field);
  await expect(add(symbol, decimals)).rejects.toThrow(RangeError);
});

it('assets that every installation has need no row, and rows stay as they are', async () => {
  await add('ETH', 18);
  const rows = await test.database.query('select symbol from coins order by 1');
  expect(rows).toEqual([{ symbol: 'AVAX' }, { symbol: 'BNB' }]);
  await expect(test.database.query('update coins set decimals = 6')).rejects.toThrow('never changed');
  await expect(test.database.query('delete from coins')).rejects.toThrow('never changed');
});
