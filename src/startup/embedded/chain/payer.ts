import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { rpc } from './rpc';

/** What somebody outside sends. */
export interface Sent {
  to: Address;
  data?: Hex;
  value?: Hex;
}

/** An account of the node's own, which it signs for. */
export async function payerOf(url: string): Promise<Address> {
  const [payer] = await rpc<Address[]>(url, 'eth_accounts');
  if (!payer) throw new Error('the local chain has no account of its own');
  return payer;
}

/** Each is mined at once; one that is not was lost with a node that has died. */
const MINED_MS = 5_000;
const LOOK_MS = 20;

/**
 * @param withinMs after so long it is given up
 * @returns the hash, in a block
 * @throws Error when the chain does not answer, refuses, loses or reverts it
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
 * Puts a contract on the local chain where it is not there.
 * @param deployment what puts it there
 * @returns whether it was not
 * @throws Error as {@link sendAsPayer}, and when the deployment has not put it there
 */
export async function ensureContract(url: string, address: string, deployment: Sent): Promise<boolean> {
  if (await stands(url, address)) return false;
  await sendAsPayer(url, deployment);
  if (!(await stands(url, address))) throw new Error(`no contract came to stand at ${address}`);
  return true;
}

const stands = async (url: string, address: string): Promise<boolean> =>
  (await rpc<string>(url, 'eth_getCode', [address, 'latest'])) !== '0x';
