import { type Address, concatHex, type Hex, pad, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { erc20Transfer } from '../../../src/parties/chain/evm/calls';
import type { ChainFees, ChainNode } from '../../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../support/chain';
import { testChains } from './node-double';
import { callCode, logCode, newAddress, PASS_ON } from './raw-contracts';

const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

let chain: TestChain;
let node: ChainNode;

beforeAll(async () => {
  chain = await startTestChain();
  node = testChains().nodeAt(chain.chainId, chain.url);
});
afterAll(() => chain.stop());

const emit = (topics: number, bytes: number, words: Hex[]) => callCode(chain, logCode(topics, bytes), words);

/** The transfers to these addresses from a height on. */
async function come(from: number, to: string[], native = true) {
  const head = await node.head();
  return (await node.transfersTo({ from, to: head.number }, to, { native })).transfers;
}

async function sent(hash: string) {
  const transaction = await node.transaction(hash);
  if (transaction.status !== 'succeeded' && transaction.status !== 'reverted')
    throw new Error(transaction.status);
  return transaction;
}

/** A transaction signed with that key, with the given nonce and the present fees. */
async function signed(key: Hex, transaction: { to: Address; value?: bigint; nonce: number }) {
  const { maxFeePerGas, maxPriorityFeePerGas } = await node.fees();
  return privateKeyToAccount(key).signTransaction({
    type: 'eip1559',
    chainId: chain.chainId,
    gas: 21_000n,
    maxFeePerGas,
    maxPriorityFeePerGas,
    ...transaction,
  });
}

describe('transfers', () => {
  it('are found for any token and the native coin, with the hash of the last block', async () => {
    const [alice, bob] = [newAddress(), newAddress()];
    const token = await chain.token();
    const other = await chain.token({ decimals: 18 });
    const { number: from } = await node.head();
    const huge = 123_456_789_012_345_678_901n;
    const paid = [
      await chain.pay(token, alice, 25_000_000n),
      await chain.pay(other, alice, huge),
      await chain.pay(null, bob, 7n),
    ];
    await chain.pay(token, newAddress(), 1n);
    const head = await node.head();
    const of = { logIndex: 0, ordinal: 0, from: chain.payer, to: alice };
    const found = await node.transfersTo({ from, to: head.number }, [alice.toLowerCase(), bob], {
      native: true,
    });
    expect(found.toBlockHash).toBe(head.hash);
    expect(found.transfers).toEqual([
      { ...of, txHash: paid[0], token, units: 25_000_000n, block: await node.block(from + 1) },
      { ...of, txHash: paid[1], token: other, units: huge, block: await node.block(from + 2) },
      {
        ...of,
        txHash: paid[2],
        token: null,
        to: bob,
        units: 7n,
        block: await node.block(from + 3),
        logIndex: null,
        ordinal: -1,
      },
    ]);
    expect(await come(from, [alice, bob], false)).toHaveLength(2);
    expect(await come(from, [])).toEqual([]);
    expect(await come(from + 3, [alice])).toEqual([]);
  });

  it('have the received amount when the token takes a fee', async () => {
    const token = await chain.token({ feeBasisPoints: 100 });
    const { number: from } = await node.head();
    const [to] = [newAddress()];
    const hash = await chain.pay(token, to, 1_000n);
    expect(await come(from, [to])).toMatchObject([{ txHash: hash, ordinal: 0, units: 990n }]);
    expect(await node.balance(to, token)).toBe(990n);
    expect((await sent(hash)).transfers).toMatchObject([
      { ordinal: 0, to, units: 990n },
      { ordinal: 1, to: `0x${'0'.repeat(40)}`, units: 10n },
    ]);
  });

  it('of one transaction have ordinals that do not depend on its place in the block', async () => {
    const token = await chain.token();
    const payer = await chain.deploy('TestPayer');
    await chain.mined(await chain.write(token, 'TestUsdt', 'approve', [payer, 100n]));
    const { number: from } = await node.head();
    const to = newAddress();
    await chain.client.setAutomine(false);
    const pending = await chain.write(token, 'TestUsdt', 'transfer', [BOB, 1n]);
    expect(await node.transaction(pending)).toEqual({
      status: 'pending',
      sent: {
        from: chain.payer,
        to: token,
        nonce: expect.any(Number),
        value: 0n,
        data: erc20Transfer(BOB, 1n),
      },
    });
    const hash = await chain.write(payer, 'TestPayer', 'payTwice', [token, to, 3n, 4n]);
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
    const found = await come(from, [to]);
    const [first, second] = found;
    expect(found).toMatchObject([
      { txHash: hash, ordinal: 0, units: 3n, from: chain.payer },
      { txHash: hash, ordinal: 1, units: 4n, from: chain.payer },
    ]);
    expect(first?.logIndex).toBeGreaterThan(0);
    expect(second?.logIndex).toBe((first?.logIndex ?? 0) + 1);
    expect((await sent(hash)).transfers).toEqual(found);
  });

  it('ignore zero amounts, transfers to oneself, other kinds of token and malformed logs', async () => {
    const to = newAddress();
    const token = await chain.token();
    const { number: from } = await node.head();
    await chain.pay(token, to, 0n);
    await chain.pay(null, to, 0n);
    await chain.pay(null, chain.payer, 5n);
    await chain.pay(token, chain.payer, 5n);
    const topics = [TRANSFER, pad(ALICE), pad(to)];
    await emit(4, 0, [...topics, pad('0x7')]);
    await emit(3, 0, topics);
    await emit(3, 31, topics);
    await emit(3, 64, topics);
    await emit(3, 32, topics); // the data is zero
    expect(await come(from + 1, [to, chain.payer])).toEqual([]);
  });

  it('have ordinals that count every log of the receipt', async () => {
    const to = newAddress();
    const { number: from } = await node.head();
    const topics = [TRANSFER, pad(ALICE), pad(to)];
    // Two logs of four topics are no transfers: an NFT without data, and a word of 256. The third log is one.
    const code = concatHex([logCode(4, 0), '0x610100600052', logCode(4, 32), logCode(3, 32)]);
    const hash = await callCode(chain, code, [...topics, pad('0x7')]);
    expect(await come(from, [to])).toMatchObject([{ txHash: hash, ordinal: 2, logIndex: 2, units: 256n }]);
  });

  it('show the native coin that a transaction moves, but not the coin that a contract passes on', async () => {
    const payer = await chain.deploy('TestPayer');
    const { number: from } = await node.head();
    const to = newAddress();
    const hash = await chain.client.writeContract({
      address: payer,
      abi: PASS_ON,
      functionName: 'passOn',
      args: [to],
      value: 9n,
    });
    await chain.mined(hash);
    expect(await node.balance(to, null)).toBe(9n);
    expect(await come(from, [to])).toEqual([]);
    expect(await come(from, [payer])).toMatchObject([{ txHash: hash, units: 9n, token: null }]);
  });

  it('fail for a range whose end no node has reached', async () => {
    const { number } = await node.head();
    expect(await node.block(number + 1)).toBeUndefined();
    await expect(node.transfersTo({ from: 0, to: number + 1 }, [ALICE], { native: false })).rejects.toThrow(
      'the chain cannot be reached',
    );
    expect(await node.agreedBlock(number + 1)).toEqual({ hash: null, said: 1, of: 1, isSplit: false });
  });
});

describe('a transaction', () => {
  it('has a fee and no transfers when it was reverted', async () => {
    const token = await chain.token();
    const data = erc20Transfer(BOB, 10n ** 30n);
    const hash = await chain.client.sendTransaction({ to: token, data, gas: 100_000n });
    const { effectiveGasPrice, gasUsed } = await chain.mined(hash);
    expect(await node.transaction(hash)).toEqual({
      status: 'reverted',
      from: chain.payer,
      to: token,
      nonce: (await node.nonce(chain.payer)) - 1,
      block: await node.head(),
      fee: gasUsed * effectiveGasPrice,
      gasUsed,
      transfers: [],
    });
  });

  it('is unknown when no node has it, or when the text is no hash', async () => {
    for (const hash of [`0x${'a'.repeat(64)}`, '0x12', 'hash', `0x${'z'.repeat(64)}`, ''])
      expect(await node.transaction(hash)).toEqual({ status: 'unknown' });
  });

  it('has no recipient when it creates a contract', async () => {
    const hash = await chain.client.sendTransaction({ data: '0x6000', value: 1n });
    await chain.mined(hash);
    expect(await sent(hash)).toMatchObject({ status: 'succeeded', to: null, transfers: [] });
  });

  it('keeps its ordinal when a reorganisation moves it to another block', async () => {
    const token = await chain.token();
    const to = newAddress();
    const { number: from } = await node.head();
    const hash = await chain.pay(token, to, 5n);
    const before = await sent(hash);
    await chain.client.request({ method: 'anvil_rollback', params: [1] } as never);
    expect(await node.transaction(hash)).toEqual({ status: 'unknown' });
    expect((await node.head()).number).toBe(from);
    await chain.pay(token, BOB, 1n);
    await chain.pay(token, to, 5n);
    const [after] = await come(from, [to]);
    expect(after).toMatchObject({ ordinal: 0, units: 5n });
    expect(after?.block.hash).not.toBe(before.block.hash);
    expect((await node.block(before.block.number))?.hash).not.toBe(before.block.hash);
  });
});

describe('reads before a transaction', () => {
  it('return balances in order, also more than fit into one request', async () => {
    const token = await chain.token({ decimals: 18 });
    const many = Array.from({ length: 45 }, newAddress);
    await chain.pay(token, many[41] as string, 10n ** 24n);
    await chain.pay(null, many[3] as string, 10n ** 18n);
    const expected = (place: number, units: bigint) => many.map((_, at) => (at === place ? units : 0n));
    expect(await node.balances(many, token)).toEqual(expected(41, 10n ** 24n));
    expect(await node.balances(many, null)).toEqual(expected(3, 10n ** 18n));
    expect(await node.balances([], null)).toEqual([]);
  });

  it('return the decimals of a token, and refuse an address without one', async () => {
    expect(await node.decimals(await chain.token({ decimals: 18 }))).toBe(18);
    const payer = await chain.deploy('TestPayer');
    for (const none of [BOB, payer]) {
      await expect(node.decimals(none)).rejects.toMatchObject({ name: 'ChainRefused', code: 'no_token' });
      await expect(node.balance(ALICE, none)).rejects.toMatchObject({ code: 'no_token' });
    }
  });

  it('estimate gas, and refuse a call that would revert', async () => {
    const token = await chain.token();
    const from = chain.payer;
    const transfer = (units: bigint) => ({ from, to: token, value: 0n, data: erc20Transfer(BOB, units) });
    expect(await node.estimateGas({ from, to: newAddress(), value: 1n, data: '0x' })).toBe(21_000n);
    expect(await node.estimateGas(transfer(5n))).toBeGreaterThan(21_000n);
    await expect(node.estimateGas(transfer(10n ** 30n))).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'reverted',
    });
  });

  it('return the fees of the next block', async () => {
    const fees: ChainFees = await node.fees();
    await chain.client.mine({ blocks: 1 });
    const { baseFeePerGas } = await chain.client.getBlock();
    expect(fees.baseFee).toBe(baseFeePerGas);
    expect(fees.maxFeePerGas).toBe(2n * fees.baseFee + fees.maxPriorityFeePerGas);
    expect(fees.maxPriorityFeePerGas).toBeGreaterThan(0n);
  });
});

describe('a broadcast', () => {
  it('succeeds again while the transaction waits and once it is in a block', async () => {
    const key = generatePrivateKey();
    const payer = privateKeyToAccount(key).address;
    await chain.pay(null, payer, parseEther('1'));
    const transaction = await signed(key, { to: BOB, value: 1n, nonce: 0 });
    await chain.client.setAutomine(false);
    const { hash } = await node.broadcast(transaction);
    expect(await node.broadcast(transaction)).toEqual({ hash });
    expect(await node.transaction(hash)).toMatchObject({ status: 'pending' });
    expect(await node.nonce(payer)).toBe(0);
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
    expect(await node.broadcast(transaction)).toEqual({ hash });
    expect(await sent(hash)).toMatchObject({ status: 'succeeded', nonce: 0, from: payer, to: BOB });
    expect(await node.nonce(payer)).toBe(1);
    const other = await signed(key, { to: ALICE, value: 1n, nonce: 0 });
    await expect(node.broadcast(other)).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'nonce_too_low',
    });
  });

  it('is refused when the node cannot take it', async () => {
    const poor = await signed(generatePrivateKey(), { to: BOB, value: 1n, nonce: 0 });
    await expect(node.broadcast(poor)).rejects.toMatchObject({ code: 'insufficient_funds' });
    await expect(node.broadcast('0x1234')).rejects.toMatchObject({ name: 'ChainRefused', code: 'refused' });
  });
});
