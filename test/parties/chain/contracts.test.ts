import contracts from '../../../contracts/contracts.json';
import { compileContracts } from '../../../scripts/compile-contracts';
import { startTestChain, type TestChain } from '../../support/chain';

describe('the contracts of tests and of the local chain', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());

  it('match what the compiler produces from their source', () => {
    expect(contracts).toEqual(compileContracts());
  });

  it('move money on a real node', async () => {
    const token = await chain.token();
    const hash = await chain.pay(token, '0x00000000000000000000000000000000000000A1', 1_500_000n);
    const { logs, status } = await chain.receipt(hash);
    expect({ status, logs: logs.length }).toEqual({ status: 'success', logs: 1 });
  });
});
