import pino from 'pino';
import { NO_OBSERVERS } from '../../../src/kernel/metrics/observers';
import { createChains } from '../../../src/parties/chain/create';
import type { ChainNode } from '../../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../support/chain';

const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

describe('a node of an EVM chain', () => {
  let chain: TestChain;
  let node: ChainNode;

  beforeAll(async () => {
    chain = await startTestChain();
    const chains = createChains({
      log: pino({ level: 'silent' }),
      observers: NO_OBSERVERS,
      now: () => new Date(),
    });
    node = chains.of({ chain: 'local', kind: 'evm', chainId: chain.chainId, rpcUrls: [chain.url] });
  });
  afterAll(() => chain.stop());

  it('finds the transfers of any token and of the native coin', async () => {
    const token = await chain.token();
    const paid = await chain.pay(token, ALICE, 25_000_000n);
    const native = await chain.pay(null, BOB, 7n);
    const head = await node.head();
    const { toBlockHash, transfers } = await node.transfersTo({ from: 0, to: head.number }, [ALICE, BOB], {
      native: true,
    });
    expect(toBlockHash).toBe(head.hash);
    expect(transfers).toEqual([
      expect.objectContaining({
        txHash: paid,
        ordinal: 0,
        logIndex: 0,
        token,
        from: chain.payer,
        to: ALICE,
        units: 25_000_000n,
      }),
      expect.objectContaining({
        txHash: native,
        ordinal: -1,
        logIndex: null,
        token: null,
        to: BOB,
        units: 7n,
        block: head,
      }),
    ]);
    expect(await node.transaction(paid)).toMatchObject({ status: 'succeeded', transfers: [transfers[0]] });
    expect(await node.balance(ALICE, token)).toBe(25_000_000n);
    expect(await node.decimals(token)).toBe(6);
    expect(await node.fees()).toMatchObject({ baseFee: expect.any(BigInt) });
    expect(await node.nonce(chain.payer)).toBe(4);
    expect(await node.chainIds()).toEqual([{ chainId: chain.chainId, url: chain.url }]);
    expect(await node.agreedBlock(head.number)).toEqual({ hash: head.hash, said: 1, of: 1, isSplit: false });
    expect(await node.estimateGas({ from: chain.payer, to: BOB, value: 1n, data: '0x' })).toBe(21_000n);
  });
});
