import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { rpc } from './rpc';

/** A transaction from an outside payer. */
export interface Sent {
  /** Absent: the node's own account. */
  from?: Address;
  to: Address;
  data?: Hex;
  value?: Hex;
}

/** An account of the node, which signs for it. */
export async function payerOf(url: string): Promise<Address> {
  const [payer] = await rpc<Address[]>(url, 'eth_accounts');
  if (!payer) throw new Error('the local chain has no account of its own');
  return payer;
}

/** Transactions are mined at once. A transaction that is not mined within this time was lost with a node that died. */
const MINED_MS = 5_000;
const LOOK_MS = 20;

/**
 * @param withinMs time after which the transaction is given up
 * @returns hash of the mined transaction
 * @throws Error when the chain does not answer, or refuses, loses or reverts the transaction
 */
export async function sendAsPayer(url: string, transaction: Sent, withinMs = MINED_MS): Promise<Hex> {
  const hash = await rpc<Hex>(url, 'eth_sendTransaction', [{ from: await payerOf(url), ...transaction }]);
  const deadline = performance.now() + withinMs;
  for (;;) {
    const receipt = await rpc<{ status: Hex } | null>(url, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.status === '0x1') return hash;
    if (receipt) throw new Error(`the local chain has reverted ${hash}`);
    if (performance.now() >= deadline) throw new Error(`the local chain has not mined ${hash}`);
    await sleep(LOOK_MS);
  }
}

/**
 * Deploys a contract on the local chain unless it exists.
 * @param deployment transaction that creates the contract
 * @returns whether it was deployed now
 * @throws Error as {@link sendAsPayer}, and when the deployment did not create the contract
 */
export async function ensureContract(url: string, address: string, deployment: Sent): Promise<boolean> {
  if (await stands(url, address)) return false;
  await sendAsPayer(url, deployment);
  if (!(await stands(url, address))) throw new Error(`the deployment created no contract at ${address}`);
  return true;
}

const stands = async (url: string, address: string): Promise<boolean> =>
  (await rpc<string>(url, 'eth_getCode', [address, 'latest'])) !== '0x';
