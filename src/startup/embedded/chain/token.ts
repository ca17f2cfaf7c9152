import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, hexToNumber } from 'viem';
import contracts from '../../../../contracts/contracts.json';
import { create2Address, create2Deployment } from '../../../parties/chain/create2';
import { ensureContract, payerOf, sendAsPayer } from './payer';
import { rpc } from './rpc';

/** Decimals of the test USDT, the same as of the real one. */
export const TEST_USDT_DECIMALS = 6;

const abi = contracts.TestUsdt.abi as Abi;
const bytecode = encodeDeployData({
  abi,
  bytecode: contracts.TestUsdt.bytecode as Hex,
  args: [TEST_USDT_DECIMALS, 0n],
});

/** Address of the test USDT, the same on every new chain. */
export const TEST_USDT: Address = create2Address(bytecode);

/** Deploys the test USDT unless it exists. @returns whether it was deployed now */
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
 * Pays an address on the local chain. Test USDT is minted, and the node's own account has plenty of ETH.
 * @param units in the asset's smallest unit
 * @param from the payer, any address; absent: the node's own account
 * @returns hash of the mined transaction
 */
export async function payLocally(
  url: string,
  asset: 'USDT' | 'ETH',
  to: Address,
  units: bigint,
  from?: Address,
): Promise<Hex> {
  const payer = from ?? (await payerOf(url));
  if (from !== undefined) await beAble(url, from, units);
  if (asset === 'ETH') return sendAsPayer(url, { from: payer, to, value: `0x${units.toString(16)}` });
  const call = (functionName: string, receiver: Address) => ({
    from: payer,
    to: TEST_USDT,
    data: encodeFunctionData({ abi, functionName, args: [receiver, units] }),
  });
  await sendAsPayer(url, call('mint', payer));
  return sendAsPayer(url, call('transfer', to));
}

/** Enough for the gas of a payment. */
const GAS = 10n ** 18n;

/** Lets the node send for an address whose key nobody has. */
async function beAble(url: string, from: Address, units: bigint): Promise<void> {
  await rpc(url, 'anvil_setBalance', [from, `0x${(GAS + units).toString(16)}`]);
  await rpc(url, 'anvil_impersonateAccount', [from]);
}
