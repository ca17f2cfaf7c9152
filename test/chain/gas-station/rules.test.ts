import { gasConfigNeverSet } from '../../../src/chain/gas-station/config/record';
import { mostOf } from '../../../src/chain/gas-station/operations/nonces/rules';
import {
  boundedFees,
  dataPriceOf,
  gasLimitOf,
  gweiText,
  isAboveCap,
  MAX_GAS,
  sweepableOf,
  weiOfGwei,
} from '../../../src/chain/gas-station/rules';
import { partsOf, rangeToScan } from '../../../src/chain/gas-station/station-topups/rules';
import { Decimal } from '../../../src/kernel/money/money';

const GWEI = 10n ** 9n;

describe('the gas price', () => {
  const fees = { baseFee: 20n * GWEI, maxFeePerGas: 42n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
  it.each([
    [null, 42n * GWEI],
    ['50', 42n * GWEI],
    ['30', 30n * GWEI],
    ['22', 22n * GWEI],
    ['21.999999999', undefined],
  ])('with a cap of %s is at most %s', (cap, most) => {
    const bounded = boundedFees(fees, cap === null ? null : new Decimal(cap));
    expect(bounded?.maxFeePerGas).toBe(most);
    if (bounded) expect(bounded.maxPriorityFeePerGas).toBe(fees.maxPriorityFeePerGas);
  });

  it.each([
    [0n, 30n],
    [100_000n * GWEI, 28n],
    [400_000n * GWEI, 22n],
    [400_001n * GWEI, undefined],
  ])('with a data fee of %s wei for 50,000 gas leaves %s gwei of a cap of 30', (dataFee, left) => {
    const costs = { gas: 50_000n, dataFee };
    const bounded = boundedFees(fees, new Decimal('30'), dataPriceOf(costs));
    expect(bounded?.maxFeePerGas).toBe(left === undefined ? undefined : left * GWEI);
    const offer = { ...costs, maxFeePerGas: (left ?? 22n) * GWEI };
    expect(isAboveCap(offer, new Decimal('30'))).toBe(left === undefined);
    expect(mostOf(offer)).toBe(50_000n * offer.maxFeePerGas + dataFee);
  });

  it('is exact to the wei', () => {
    expect(weiOfGwei(new Decimal('999999999999999.123456789'))).toBe(999_999_999_999_999_123_456_789n);
    expect(gweiText(1n)).toBe('0.000000001');
  });
});

describe('the gas limit of a transaction', () => {
  it.each([
    ['a fifth more than its estimate', 50_000n, 0n, 60_000n],
    ['its estimate, a fifth more and the spare gas', 50_000n, 7_000n, 67_000n],
    ['at most the limit of a transaction', MAX_GAS - 10n, 10n, MAX_GAS],
    ['undefined when it needs more than that', MAX_GAS - 10n, 11n, undefined],
  ])('is %s', (_, estimate, spare, limit) => expect(gasLimitOf(estimate, spare)).toBe(limit));
});

describe('the units that a sweep moves', () => {
  const config = {
    ...gasConfigNeverSet({ chain: 'local', confirmations: 3 }),
    gasTopupAmount: new Decimal('0.01'),
  };
  const coin = 10n ** 16n;
  it.each([
    ['token', 5n, 7n, 5n],
    [null, coin, 1n, 0n],
    [null, coin + 1n, 1n, 1n],
    [null, 3n * coin, 2n * coin, coin],
  ])('of %s', (contract, units, fee, moved) => {
    expect(sweepableOf(config, { kind: 'evm' }, { contract }, { units, fee, ofStation: false })).toBe(moved);
  });

  it('are all but the fee on a former station', () => {
    const of = (units: bigint) =>
      sweepableOf(config, { kind: 'evm' }, { contract: null }, { units, fee: 7n, ofStation: true });
    expect([of(coin), of(7n), of(3n)]).toEqual([coin - 7n, 0n, 0n]);
  });
});

describe('the blocks that a scan reads', () => {
  const of = (head: number, before?: number, from?: number) =>
    rangeToScan({ head, confirmations: 3, before, from });
  it.each([
    [
      'the newest ones at the first scan',
      of(5_000),
      { from: 4_501, to: 5_000, finalTo: 4_998, complete: true },
    ],
    ['all blocks of a young chain', of(1), { from: 0, to: 1, finalTo: -1, continues: true }],
    ['those after the last scan', of(20, 10), { from: 11, to: 20, finalTo: 18, continues: true }],
    ['none that were read before', of(20, 20), { from: 21, to: 20, complete: true }],
    ['at most 500', of(5_000, 10), { from: 11, to: 510, finalTo: 510, complete: false }],
    [
      'all blocks of a chain that began anew',
      of(20, 90),
      { from: 0, to: 20, finalTo: 18, restart: true, continues: true },
    ],
    [
      'those from the requested block on',
      of(5_000, 4_990, 7),
      { from: 7, to: 506, continues: true, complete: false },
    ],
    [
      'not continuous when the requested block leaves a gap',
      of(5_000, 10, 4_000),
      { from: 4_000, to: 4_499, continues: false },
    ],
    [
      'none when the requested block is in the future',
      of(20, 10, 40),
      { from: 40, to: 20, continues: false },
    ],
  ])('are %s', (_, range, expected) => expect(range).toMatchObject(expected));
  it('are split into parts that do not mix final and later blocks', () => {
    const parts = partsOf(of(120, 10)).map(({ from, to }) => [from, to]);
    expect(parts).toEqual([
      [11, 60],
      [61, 110],
      [111, 118],
      [119, 120],
    ]);
    expect(partsOf(of(20, 20))).toEqual([]);
  });
});
