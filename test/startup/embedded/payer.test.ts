import { payerOf, sendAsPayer } from '../../../src/startup/embedded/chain/payer';
import { startTestChain } from '../../support/chain';

test('gives up a transaction that the node accepts but puts into no block', async () => {
  const chain = await startTestChain({ blockTime: 'manual' });
  try {
    const to = await payerOf(chain.url);
    await expect(sendAsPayer(chain.url, { to }, 100)).rejects.toThrow(/not mined/);
  } finally {
    await chain.stop();
  }
});
