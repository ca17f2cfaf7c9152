import { encodeFunctionData, erc20Abi } from 'viem';
import { delegateAddress, sweepAllData, sweepData } from '../../../src/chain/gas-station/strategies/delegate';
import { createFeeCount } from '../../../src/chain/signing/fees';
import {
  type AllowedNetwork,
  authorizationRefusal,
  transactionRefusal,
} from '../../../src/chain/signing/rules';
import { erc20Transfer } from '../../../src/parties/chain/evm/calls';
import type { UnsignedTransaction } from '../../../src/parties/chain/port';

const [STATION, WALLET, TREASURY, THIEF, TOKEN, OTHER] = [1, 2, 3, 4, 5, 6].map(
  (digit) => `0x${String(digit).repeat(40)}`,
) as [string, string, string, string, string, string];
const PART = { wallet: WALLET, units: 5n };
const DELEGATE = delegateAddress({ treasury: TREASURY, station: STATION });

const network: AllowedNetwork = {
  chain: 'local',
  chainId: 31_337,
  dailyFees: 1_000n,
  treasuries: new Set([TREASURY]),
  tokens: new Set([TOKEN]),
  delegates: new Set([DELEGATE]),
};

const authorization = { chainId: 31_337, contract: DELEGATE, nonce: 0, yParity: 0, r: '0x01', s: '0x01' };

const transaction = (given: Partial<UnsignedTransaction>): UnsignedTransaction => ({
  chainId: 31_337,
  nonce: 0,
  from: WALLET,
  to: TOKEN,
  value: 0n,
  data: '0x',
  gas: 10n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
  ...given,
});

const judged = (given: Partial<UnsignedTransaction>, isOwnRecipient = false) =>
  transactionRefusal(transaction(given), network, { isOwnRecipient });

const allowance = (to: string) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to as never, 1n] });
const taking = encodeFunctionData({
  abi: erc20Abi,
  functionName: 'transferFrom',
  args: [WALLET as never, TREASURY as never, 1n],
});

describe('the judgement of a transaction', () => {
  it.each<[string, Partial<UnsignedTransaction>, boolean?]>([
    ['a top-up of an own wallet', { from: STATION, to: WALLET, value: 5n }, true],
    ['a native sweep to the treasury', { to: TREASURY, value: 5n }],
    ['a cancellation', { to: WALLET }],
    ['a token sweep to the treasury', { data: erc20Transfer(TREASURY, 5n) }],
    [
      'a delegated sweep',
      { from: STATION, to: WALLET, data: sweepData(TOKEN, 5n), authorizations: [authorization] },
      true,
    ],
    ['a delegated batch', { from: STATION, to: DELEGATE, data: sweepAllData(TOKEN, [PART], 9n) }],
  ])('admits %s', (_, given, isOwn = false) => expect(judged(given, isOwn)).toBeUndefined());

  it.each<[string, Partial<UnsignedTransaction>, boolean?]>([
    ['native coin to a stranger', { to: THIEF, value: 1n }],
    ['nothing to a stranger', { to: THIEF }],
    ['tokens to a stranger', { data: erc20Transfer(THIEF, 5n) }],
    ['a transfer with data behind it', { data: `${erc20Transfer(TREASURY, 5n)}00` }],
    ['a transfer with native coin', { data: erc20Transfer(TREASURY, 5n), value: 1n }],
    ['an allowance', { data: allowance(THIEF) }],
    ['an allowance for the treasury', { data: allowance(TREASURY) }],
    ['a transfer out of another wallet', { data: taking }],
    ['a transfer of a token that is not listed', { to: OTHER, data: erc20Transfer(TREASURY, 5n) }],
    [
      'a sweep of a token that is not listed',
      { from: STATION, to: WALLET, data: sweepData(OTHER, 5n) },
      true,
    ],
    [
      'a batch of a token that is not listed',
      { from: STATION, to: DELEGATE, data: sweepAllData(OTHER, [PART], 9n) },
    ],
    ['a batch by another station', { from: WALLET, to: DELEGATE, data: sweepAllData(TOKEN, [PART], 9n) }],
    [
      'a batch of a contract with another treasury',
      {
        from: STATION,
        to: delegateAddress({ treasury: THIEF, station: STATION }),
        data: sweepAllData(TOKEN, [PART], 9n),
      },
    ],
    ['any other call of an own wallet', { from: STATION, to: WALLET, data: '0xdeadbeef' }, true],
    [
      'a delegation to a stranger within a sweep',
      {
        from: STATION,
        to: WALLET,
        data: sweepData(TOKEN, 5n),
        authorizations: [{ ...authorization, contract: THIEF }],
      },
      true,
    ],
    ['an authorization beside native coin', { to: TREASURY, value: 1n, authorizations: [authorization] }],
    [
      'an authorization beside a transfer',
      { data: erc20Transfer(TREASURY, 5n), authorizations: [authorization] },
    ],
  ])('refuses %s', (_, given, isOwn = false) => expect(judged(given, isOwn)).toEqual(expect.any(String)));

  it('refuses a listed contract that follows from no listed treasury', () => {
    const wrong = delegateAddress({ treasury: THIEF, station: STATION });
    const given = { from: STATION, to: wrong, data: sweepAllData(TOKEN, [PART], 9n) };
    const listing = { ...network, delegates: new Set([wrong]) };
    expect(transactionRefusal(transaction(given), listing, { isOwnRecipient: false })).toEqual(
      expect.any(String),
    );
  });
});

it('judges an authorization by its contract and its chain id', () => {
  expect(authorizationRefusal(authorization, network)).toBeUndefined();
  expect(authorizationRefusal({ ...authorization, contract: THIEF }, network)).toContain(THIEF);
  expect(authorizationRefusal({ ...authorization, chainId: 1 }, network)).toContain('chain id 1');
});

describe("the day's gas", () => {
  const priced = (nonce: number, maxFeePerGas: bigint) => ({ from: WALLET, nonce, gas: 10n, maxFeePerGas });

  it('is counted once a nonce, at its highest price', () => {
    const fees = createFeeCount(() => new Date('2026-11-26T12:00:00Z'));
    expect(fees.take(network, priced(0, 40n))).toBeUndefined();
    expect(fees.take(network, priced(0, 60n))).toBeUndefined();
    expect(fees.take(network, priced(1, 40n))).toBeUndefined();
    expect(fees.take(network, priced(2, 1n))).toEqual(expect.any(String));
    expect(fees.take(network, priced(1, 41n))).toEqual(expect.any(String));
  });

  it('begins anew at midnight UTC', () => {
    let at = '2026-11-26T23:59:59Z';
    const fees = createFeeCount(() => new Date(at));
    expect(fees.take(network, priced(0, 100n))).toBeUndefined();
    expect(fees.take(network, priced(1, 100n))).toEqual(expect.any(String));
    at = '2026-11-27T00:00:00Z';
    expect(fees.take(network, priced(1, 100n))).toBeUndefined();
  });
});
