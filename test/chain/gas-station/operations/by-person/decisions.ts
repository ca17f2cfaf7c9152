import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import type { TestChain } from '../../../../support/chain';
import type { TestStation } from '../support';

export const OPERATIONS = '/v1/gas-station/operations';
export const TOPUPS = '/v1/gas-station/topup-operations';

/** What a person does with an operation: exports it, executes it elsewhere, and confirms it. */
export const byHand = (world: () => TestStation) => ({
  async exported(path: string, id: string) {
    const { status, body } = await world().admin.call('GET', `${path}/${id}/export`);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body;
  },
  confirm: (path: string, id: string, txHash: string) =>
    world().admin.call('POST', `${path}/${id}/confirm`, { txHash }),
});

export const transfer = (to: string, units: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as never, units] });

/** anvil mines a reverting transaction and still reports an error to the sender. */
export async function revertedHash(chain: TestChain): Promise<Hex> {
  const { transactions } = await chain.client.getBlock();
  return transactions[0] as Hex;
}
