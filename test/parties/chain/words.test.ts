import { ALICE, twoNodes } from './two-nodes';

const world = twoNodes();

describe('an answer of a node', () => {
  it('about the result of a call is final, so no other node is asked', async () => {
    world.one.on('eth_estimateGas', { error: { code: -32000, message: 'insufficient funds for transfer' } });
    const asked = { from: ALICE, to: ALICE, value: 1n, data: '0x' };
    await expect(world.node.estimateGas(asked)).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'insufficient_funds',
    });
    expect(world.two.asked).toEqual([]);
  });

  it('without a token makes us ask the others before we report none', async () => {
    const token = await world.chain.token();
    world.one.on('eth_call', { result: '0x' });
    expect(await world.node.decimals(token)).toBe(6);
    expect(await world.node.balance(ALICE, token)).toBe(0n);
    world.two.on('eth_call', { result: '0x' });
    await expect(world.node.decimals(token)).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'no_token',
    });
    await expect(world.node.balance(ALICE, token)).rejects.toMatchObject({ code: 'no_token' });
  });

  it('counts with any HTTP status', async () => {
    world.one.on('eth_estimateGas', 'reverted-500');
    const asked = { from: ALICE, to: ALICE, value: 1n, data: '0x' };
    await expect(world.node.estimateGas(asked)).rejects.toMatchObject({
      name: 'ChainRefused',
      code: 'reverted',
    });
    expect(world.two.asked).toEqual([]);
  });

  it('about a fee includes the fee of the chain below', async () => {
    const hash = await world.chain.pay(null, ALICE, 5n);
    const before = await world.node.transaction(hash);
    world.one.on('eth_getTransactionReceipt', async (_, ask) => ({ ...(await ask({})), l1Fee: '0x64' }));
    const after = await world.node.transaction(hash);
    expect('fee' in after && 'fee' in before && after.fee - before.fee).toBe(100n);
  });

  it('with a receipt but no block is accepted, because the block came between both reads', async () => {
    const hash = await world.chain.pay(null, ALICE, 5n);
    const told = await world.node.transaction(hash);
    world.one.on('eth_getTransactionByHash', async (_, ask) => ({ ...(await ask({})), blockHash: null }));
    world.two.on('*', 'lost');
    expect(await world.node.transaction(hash)).toEqual(told);
  });

  it('about a tip is bounded', async () => {
    const { baseFee } = await world.node.fees();
    world.one.on('eth_maxPriorityFeePerGas', { result: '0x0' });
    expect(await world.node.fees()).toMatchObject({ maxPriorityFeePerGas: 10n ** 6n });
    for (const double of [world.one, world.two])
      double.on('eth_maxPriorityFeePerGas', { result: `0x${'f'.repeat(40)}` });
    const tip = 50n * 10n ** 9n;
    expect(await world.node.fees()).toEqual({
      baseFee,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: 2n * baseFee + tip,
    });
  });

  it('with an error is an error, even beside a result', async () => {
    const hash = await world.chain.pay(null, ALICE, 5n);
    for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt'])
      world.one.on(method, { result: null, error: 'no more today' });
    expect(await world.node.transaction(hash)).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    ['that misses an answer', (all: unknown[]) => all.slice(1)],
    ['that has one twice', ([first, , ...others]: unknown[]) => [first, first, ...others]],
  ])('to a batch %s is rejected, so that answers are not mixed up', async (_, changed) => {
    world.one.changeBatches(changed);
    expect(await world.node.balances([world.chain.payer, ALICE], null)).toEqual([
      await world.node.balance(world.chain.payer, null),
      await world.node.balance(ALICE, null),
    ]);
    expect(world.two.asked).toContain('eth_getBalance');
  });

  it('to a batch may have any order', async () => {
    const balances = await world.node.balances([world.chain.payer, ALICE], null);
    world.one.changeBatches((all) => all.reverse());
    expect(await world.node.balances([world.chain.payer, ALICE], null)).toEqual(balances);
    expect(world.two.asked).toEqual([]);
  });

  it('is requested one by one from a node that takes no batches', async () => {
    const balances = await world.node.balances([world.chain.payer, ALICE], null);
    world.one.refuseBatches();
    expect(await world.node.balances([world.chain.payer, ALICE], null)).toEqual(balances);
    expect(world.two.asked).toEqual([]);
  });
});
