import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hexToNumber,
  zeroHash,
} from 'viem';
import contracts from '../../../../contracts/contracts.json';
import { rpc } from './rpc';

/** Decimals of the test USDT, those of the real one. */
export const TEST_USDT_DECIMALS = 6;

/** The node has it from its first block; what it makes stands where its code alone says (CREATE2), on every new chain the same. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

const abi = contracts.TestUsdt.abi as Abi;
const bytecode = encodeDeployData({
  ...{ abi, bytecode: contracts.TestUsdt.bytecode as Hex, args: [TEST_USDT_DECIMALS, 0n] },
});

/** Where the test USDT stands. */
export const TEST_USDT: Address = getContractAddress({
  ...{ opcode: 'CREATE2', from: DEPLOYER, salt: zeroHash, bytecode },
});

/** Puts the test USDT on the local chain where it is not there. @returns whether it was not */
export async function ensureTestUsdt(url: string): Promise<boolean> {
  if ((await rpc<string>(url, 'eth_getCode', [TEST_USDT, 'latest'])) !== '0x') return false;
  await sendAsPayer(url, { to: DEPLOYER, data: concat([zeroHash, bytecode]) });
  return true;
}

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

/** An account of the node's own, which it signs for. */
async function payerOf(url: string): Promise<Address> {
  const [payer] = await rpc<Address[]>(url, 'eth_accounts');
  if (!payer) throw new Error('the local chain has no account of its own');
  return payer;
}

async function sendAsPayer(url: string, transaction: { to: Address; data?: Hex; value?: Hex }): Promise<Hex> {
  const hash = await rpc<Hex>(url, 'eth_sendTransaction', [{ from: await payerOf(url), ...transaction }]);
  for (;;) {
    const receipt = await rpc<{ status: Hex } | null>(url, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.status === '0x1') return hash;
    if (receipt) throw new Error(`the local chain has reverted ${hash}`);
    await sleep(20); // each is mined at once
  }
}
