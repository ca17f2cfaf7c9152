import { maskUrl } from '../../../src/chain/networks/addresses';
import { fromUnits, ledgerAmount, toUnits } from '../../../src/chain/networks/rules';
import { Decimal } from '../../../src/kernel/money/money';

const HUGE = 2n ** 256n - 1n;

test('converts amounts and units exactly, up to 2^256 − 1', () => {
  expect(toUnits(new Decimal('25.5'), 6)).toBe(25_500_000n);
  expect(fromUnits(1n, 18).toFixed()).toBe('0.000000000000000001');
  for (const decimals of [0, 6, 18, 36]) expect(toUnits(fromUnits(HUGE, decimals), decimals)).toBe(HUGE);
});

test('refuses an amount below the smallest unit instead of rounding', () => {
  expect(() => toUnits(new Decimal('0.0000001'), 6)).toThrow(RangeError);
});

test("splits units into the ledger's amount and dust", () => {
  expect(ledgerAmount(1_234_567_890_123_456_789n, 18, 'USDT')).toEqual({
    amount: new Decimal('1.234567'),
    dust: 890_123_456_789n,
  });
  expect(ledgerAmount(1_234_567n, 6, 'USDT')).toEqual({ amount: new Decimal('1.234567'), dust: 0n });
  expect(ledgerAmount(123n, 2, 'USDC')).toEqual({ amount: new Decimal('1.23'), dust: 0n });
  const { amount, dust } = ledgerAmount(HUGE, 36, 'USDT');
  expect(toUnits(amount, 36) + dust).toBe(HUGE);
});

test.each([
  ['https://k3y.eth.rpc.rivet.cloud/', 'https://***.rivet.cloud/'],
  ['https://k3y.node.example:8443/v3/k3y', 'https://***.node.example:8443/***'],
  ['https://node.example/', 'https://node.example/'],
  ['http://localhost:8545/', 'http://localhost:8545/'],
  ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545/'],
  ['http://[::1]:8545/', 'http://[::1]:8545/'],
])('shows %s as %s', (url, mask) => {
  expect(maskUrl(url)).toBe(mask);
});
