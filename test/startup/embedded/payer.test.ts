import { payerOf, sendAsPayer } from '../../../src/startup/embedded/chain/payer';
import { startTestChain } from '../../support/chain';

test('what the node takes and puts into no block is given up', async () => {
  const chain = await startTestChain({ blockTime: 'manual' });
  try {
    const to = await payerOf(chain.url);
    await expect(sendAsPayer(chain.url, { to }, 100)).rejects.toThrow(/not mined/);
  } finally {
    await chain.stop();
  }
});
