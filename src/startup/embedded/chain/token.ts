import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, hexToNumber } from 'viem';
import contracts from '../../../../contracts/contracts.json';
import { create2Address, create2Deployment } from '../../../parties/chain/create2';
import { ensureContract, payerOf, sendAsPayer } from './payer';
import { rpc } from './rpc';

/** Decimals of the test USDT, those of the real one. */
export const TEST_USDT_DECIMALS = 6;

const abi = contracts.TestUsdt.abi as Abi;
const bytecode = encodeDeployData({
  ...{ abi, bytecode: contracts.TestUsdt.bytecode as Hex, args: [TEST_USDT_DECIMALS, 0n] },
});

/** Where the test USDT stands: on every new chain the same. */
export const TEST_USDT: Address = create2Address(bytecode);

/** Puts the test USDT on the local chain where it is not there. @returns whether it was not */
export const ensureTestUsdt = (url: string): Promise<boolean> =>
  ensureContract(url, TEST_USDT, create2Deployment(bytecode));

/** The newest block of the local chain. */
export async function newestBlock(url: string): Promise<{ number: number; hash: string }> {
  const { number, hash } = await rpc<{ number: Hex; hash: Hex }>(url, 'eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  return { number: hexToNumber(number), hash };
}

/**
 * Pays somebody on the local chain, out of nothing: test USDT is minted, and the node's payer has plenty of ETH.
 * @param units in the smallest of the asset @returns the hash, in a block
 */
export async function payLocally(
  url: string,
  asset: 'USDT' | 'ETH',
  to: Address,
  units: bigint,
): Promise<Hex> {
  if (asset === 'ETH') return sendAsPayer(url, { to, value: `0x${units.toString(16)}` });
  const call = (functionName: string, receiver: Address) => ({
    to: TEST_USDT,
    data: encodeFunctionData({ abi, functionName, args: [receiver, units] }),
  });
  await sendAsPayer(url, call('mint', await payerOf(url)));
  return sendAsPayer(url, call('transfer', to));
}
