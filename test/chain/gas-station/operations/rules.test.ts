import type { Attempt } from '../../../../src/chain/gas-station/operations/nonces/record';
import {
  dearerThan,
  isBelowMarket,
  nextFreeNonce,
} from '../../../../src/chain/gas-station/operations/nonces/rules';
import {
  GAS_OPERATION_STATUSES,
  type GasOperation,
} from '../../../../src/chain/gas-station/operations/record';
import {
  feeOf,
  judge,
  judgeOwn,
  leadsBatch,
  nextStatus,
  nextStep,
} from '../../../../src/chain/gas-station/operations/rules';
import { Decimal } from '../../../../src/kernel/money/money';

const NOW = new Date('2026-03-01T12:00:00Z');
const OPEN = ['pending', 'awaiting_confirmation', 'confirming'] as const;

const operation = (change: Partial<GasOperation> = {}): GasOperation => ({
  id: 'swp_1',
  type: 'sweep',
  chain: 'local',
  ofStation: false,
  walletId: 'wal_1',
  asset: 'USDT',
  token: '0xT',
  decimals: 6,
  fromAddress: '0xA',
  stationAddress: null,
  batchOf: null,
  toAddress: '0xB',
  units: 100n,
  cancelReason: null,
  exportedBlock: null,
  newsFrom: null,
  execution: 'local',
  status: 'pending',
  waitsFor: null,
  txHash: null,
  movedUnits: null,
  lostUnits: null,
  feeUnits: null,
  failureCode: null,
  failureReason: null,
  exportedAt: null,
  executedAt: null,
  dueBy: null,
  revision: 0,
  expiresAt: new Date(NOW.getTime() + 1),
  createdAt: NOW,
  updatedAt: NOW,
  ...change,
});

const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  number: '1',
  chain: 'local',
  address: '0xA',
  nonce: 0,
  attempt: 0,
  operationId: 'swp_1',
  recipient: '0xT',
  value: 0n,
  data: '0x',
  authorizations: [],
  gas: 1n,
  maxFeePerGas: 8n,
  maxPriorityFeePerGas: 1n,
  dataFee: 0n,
  raw: null,
  hash: null,
  broadcastAt: null,
  settledAt: null,
  releasedAt: null,
  createdAt: NOW,
  cancels: false,
  refusals: 0,
  ...change,
});

it('changes statuses only by the table, and none after the end', () => {
  const ways = (from: (typeof GAS_OPERATION_STATUSES)[number]) =>
    (['hand_over', 'follow', 'forget', 'complete', 'fail', 'expire'] as const).map((on) =>
      nextStatus(from, on),
    );
  const ends = ['completed', 'failed', 'expired'];
  expect(ways('pending')).toEqual(['awaiting_confirmation', 'confirming', undefined, ...ends]);
  expect(ways('awaiting_confirmation')).toEqual([undefined, 'confirming', undefined, ...ends]);
  expect(ways('confirming')).toEqual([undefined, undefined, 'awaiting_confirmation', ...ends]);
  for (const ended of ['completed', 'failed', 'expired'] as const)
    expect(ways(ended)).toEqual(Array(6).fill(undefined));
});

it('takes the step that the attempts call for', () => {
  const signed = { raw: '0x1', hash: '0x2' };
  const cases: [Partial<GasOperation>, Attempt[], string][] = [
    [{}, [], 'plan'],
    [{ execution: 'manual' }, [], 'wait'],
    [{ execution: 'manual' }, [attempt()], 'wait'],
    [{}, [attempt()], 'sign'],
    [{}, [attempt(signed)], 'broadcast'],
    [{}, [attempt({ ...signed, broadcastAt: NOW })], 'follow'],
    [{}, [attempt({ ...signed, broadcastAt: NOW }), attempt({ attempt: 1 })], 'sign'],
    [{ execution: 'manual', status: 'confirming', txHash: '0x3' }, [], 'follow'],
    [{ expiresAt: NOW }, [], 'expire'],
    [{ expiresAt: NOW, execution: 'manual' }, [attempt()], 'expire'],
    // A broadcast attempt may be executed, so it does not expire. Others do.
    [{ expiresAt: NOW }, [attempt(signed)], 'expire'],
    [{ expiresAt: NOW }, [attempt({ ...signed, broadcastAt: NOW })], 'follow'],
    // A hash that a person named may have executed it.
    [{ expiresAt: NOW, txHash: '0x3' }, [], 'follow'],
  ];
  for (const [change, attempts, step] of cases) {
    expect([change, nextStep(operation(change), attempts, NOW)]).toEqual([change, step]);
    for (const status of GAS_OPERATION_STATUSES.filter((each) => !OPEN.some((one) => one === each)))
      expect(nextStep(operation({ ...change, status }), attempts, NOW)).toBe('rest');
  }
});

describe('judges a transaction against an operation', () => {
  const block = { number: 1, hash: '0x', parentHash: '0x', at: NOW };
  const moved = (to: string, units: bigint, token: string | null = '0xT', from = '0xA') => ({
    txHash: '0x',
    ordinal: 0,
    logIndex: 0,
    token,
    from,
    to,
    units,
    block,
  });
  const word = (transfers: ReturnType<typeof moved>[], change: object = {}) => ({
    status: 'succeeded' as const,
    block,
    from: '0xa',
    to: '0xt',
    nonce: 0,
    fee: 1n,
    gasUsed: 1n,
    transfers,
    ...change,
  });

  it.each([
    ['as planned', word([moved('0xB', 100n)]), { is: 'right', moved: 100n, lost: 0n }],
    ['more than planned', word([moved('0xb', 101n)]), { is: 'right', moved: 101n, lost: 0n }],
    [
      'a token that takes a fee',
      word([moved('0xB', 97n), moved('0x0', 3n)]),
      { is: 'right', moved: 97n, lost: 3n },
    ],
    [
      'two to the recipient',
      word([moved('0xB', 60n), moved('0xB', 40n)]),
      { is: 'right', moved: 100n, lost: 0n },
    ],
    ['less', word([moved('0xB', 99n)]), { is: 'wrong', in: 'amount' }],
    // A foreign contract may have sent the rest elsewhere.
    [
      'part of it elsewhere',
      word([moved('0xB', 97n), moved('0xC', 3n)], { to: '0xZ' }),
      { is: 'wrong', in: 'amount' },
    ],
    ['to another', word([moved('0xC', 100n)]), { is: 'wrong', in: 'recipient' }],
    ['another token', word([moved('0xB', 100n, '0xU')]), { is: 'wrong', in: 'token' }],
    ['the native coin', word([moved('0xB', 100n, null)]), { is: 'wrong', in: 'token' }],
    ['of another, by its call', word([moved('0xB', 100n, '0xT', '0xC')]), { is: 'wrong', in: 'amount' }],
    ['by another', word([moved('0xB', 100n)], { from: '0xC' }), { is: 'wrong', in: 'sender' }],
    ['reverted', word([], { status: 'reverted' }), { is: 'wrong', in: 'success' }],
  ])('%s', (_, said, verdict) => {
    expect(judge(operation(), said)).toEqual(verdict);
  });

  it.each([
    ['less, which the token has kept', [moved('0xB', 99n)], { is: 'right', moved: 99n, lost: 1n }],
    [
      'less, and something else beside it',
      [moved('0xB', 99n), moved('0xB', 5n, '0xU'), moved('0xB', 5n, null)],
      { is: 'right', moved: 99n, lost: 1n },
    ],
    ['to another', [moved('0xC', 100n)], { is: 'wrong', in: 'recipient' }],
  ])('signed here: %s', (_, transfers, verdict) => {
    expect(judgeOwn(operation(), word(transfers, { to: '0xZ' }))).toEqual(verdict);
  });
});

/** Counts that nodes report: mined transactions, and the next nonce. */
const toldBy = (counted: number, each: [counted: number, next: number][], of = each.length) => ({
  counted,
  of,
  each: each.map(([inBlocks, next]) => ({ counted: inBlocks, next })),
});

it('gives the first free nonce', () => {
  const sender = toldBy(3, [[3, 3]]);
  expect(nextFreeNonce(sender, [])).toBe(3);
  expect(nextFreeNonce(sender, [5, 3])).toBe(4);
  expect(nextFreeNonce(sender, [4, 3, 5])).toBe(6);
});

it('gives no nonce after more foreign transactions than possible', () => {
  expect(nextFreeNonce(toldBy(5, [[5, 21]]), [])).toBe(21);
  expect(nextFreeNonce(toldBy(5, [[5, 22]]), [])).toBeUndefined();
  expect(nextFreeNonce(toldBy(5, [[5, 22]]), [5])).toBe(22);
  expect(nextFreeNonce(toldBy(5, [[5, 9_000]]), [5, 6])).toBeUndefined();
});

it('gives the nonce that most nodes report, without a gap that one of them invents', () => {
  const told = (...next: number[]) =>
    toldBy(
      5,
      next.map((each) => [5, each]),
    );
  expect(nextFreeNonce(told(6, 5), [])).toBe(5);
  expect(nextFreeNonce(told(5, 21, 5), [])).toBe(5);
  expect(nextFreeNonce(told(6, 7, 5), [])).toBe(6);
  expect(nextFreeNonce(told(9_000, 6, 5), [])).toBe(6);
  expect(nextFreeNonce(told(9_000, 5), [5])).toBe(6);
  expect(nextFreeNonce(told(9_000, 9_000, 5), [])).toBeUndefined();
});

it('gives no nonce when one of two nodes contradicts the count, and tolerates one of three', () => {
  const high: [number, number] = [500, 500];
  const low: [number, number] = [5, 5];
  expect(nextFreeNonce(toldBy(5, [high, low]), [])).toBeUndefined();
  expect(nextFreeNonce(toldBy(5, [high, low], 3), [])).toBeUndefined();
  expect(nextFreeNonce(toldBy(5, [high, low, low]), [])).toBe(5);
  // The lagging node does not know our own transactions.
  const ours = Array.from({ length: 490 }, (_, place) => 5 + place);
  expect(nextFreeNonce(toldBy(5, [high, low]), ours)).toBe(495);
});

it("offers at least an eighth more and the block's present price, and nothing above the cap", () => {
  const fees = { baseFee: 10n, maxFeePerGas: 21n, maxPriorityFeePerGas: 1n };
  const before = { maxFeePerGas: 21n, maxPriorityFeePerGas: 1n };
  expect(dearerThan(before, fees, null)).toEqual({ maxFeePerGas: 24n, maxPriorityFeePerGas: 2n });
  const risen = { baseFee: 1_000n, maxFeePerGas: 2_001n, maxPriorityFeePerGas: 1n };
  expect(dearerThan(before, risen, null)).toEqual({ maxFeePerGas: 2_001n, maxPriorityFeePerGas: 2n });
  const gwei = (units: number) => new Decimal(units).div(1e9);
  expect(dearerThan(before, fees, gwei(24))).toEqual({ maxFeePerGas: 24n, maxPriorityFeePerGas: 2n });
  expect(dearerThan(before, fees, gwei(23))).toBeUndefined();
  expect(dearerThan(before, risen, gwei(900))).toBeUndefined();
});

it('counts a transaction as outbid only when the next block asks more than it offers', () => {
  const offer = { maxFeePerGas: 21n, maxPriorityFeePerGas: 2n };
  const market = (baseFee: bigint, tip: bigint) => ({ baseFee, maxPriorityFeePerGas: tip });
  expect(isBelowMarket(offer, market(10n, 2n))).toBe(false);
  expect(isBelowMarket(offer, market(19n, 2n))).toBe(false);
  expect(isBelowMarket(offer, market(20n, 2n))).toBe(true);
  expect(isBelowMarket(offer, market(10n, 3n))).toBe(true);
  expect(isBelowMarket(offer, market(20n, 1n))).toBe(false);
});

it('lets the oldest operation make the batch, unless it does not move', () => {
  const at = (ms: number) => new Date(NOW.getTime() + ms);
  const one = operation({ id: 'swp_2', createdAt: at(10) });
  const older = operation({ id: 'swp_3', createdAt: at(5) });
  expect(leadsBatch(one, [older], at(6_000))).toBe(false);
  expect(leadsBatch(older, [one], at(6_000))).toBe(true);
  expect(leadsBatch(one, [operation({ id: 'swp_1', createdAt: at(10) })], at(6_000))).toBe(false);
  expect(leadsBatch(one, [{ ...older, waitsFor: 'refused' }], at(6_000))).toBe(true);
  expect(leadsBatch(one, [older], at(70_000))).toBe(true);
});

it('divides the fee of a batch exactly', () => {
  const shares = [null, 'swp_1', 'swp_1'].map((batchOf) => feeOf({ batchOf }, 100n, 2));
  expect(shares).toEqual([34n, 33n, 33n]);
  expect(feeOf({ batchOf: null }, 100n, 0)).toBe(100n);
});
