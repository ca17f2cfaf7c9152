import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeFunctionData, erc20Abi, type Hex, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import contracts from '../../../contracts/contracts.json';
import { rpc } from '../../../src/startup/embedded/chain/rpc';
import { LOCAL_CHAIN_ID } from '../../../src/startup/embedded/chain/server';
import { ensureTestUsdt, TEST_USDT } from '../../../src/startup/embedded/chain/token';
import { RICH } from '../../support/chain';

/**
 * A payer on a chain whose node is killed. Like a wallet, it sends each signed transaction again while the chain does
 * not have it. So a node that lost its last second loses no payment and makes no second one.
 */
export interface Payer {
  /** Sends a transaction, and sends it again whenever it is lost. @returns its hash */
  send(raw: Hex): Hex;
  /** Makes the payer's next payment. @param units in the smallest unit of the asset @returns its hash */
  pay(asset: 'USDT' | 'ETH', to: string, units: bigint): Promise<Hex>;
  /** Makes the payer's next transaction: a deployment of a contract. */
  deploy(deployment: { to: Address; data: Hex }): Promise<Hex>;
  /** Balance in the smallest unit of test USDT. */
  usdtOf(address: string): Promise<bigint>;
  /** Number of transactions that the address has sent, by the chain. */
  sentBy(address: string): Promise<number>;
  stop(): Promise<void>;
}

const AGAIN_MS = 300;
const PAYER = privateKeyToAccount(RICH);
const PLENTY = 10n ** 15n;
const GWEI = 10n ** 9n;
const DEPLOYMENT_GAS = 2_000_000n;

/** Opens a payer with plenty of test USDT. Deploys the token when it is not on the chain. */
export async function openPayer(url: string): Promise<Payer> {
  await ensureTestUsdt(url);
  const sent: { hash: Hex; raw: Hex }[] = [];
  const ending = new AbortController();
  let nonce = await sentBy(PAYER.address);

  const loop = (async () => {
    while (!ending.signal.aborted) {
      for (const each of [...sent]) await handOver(each).catch(() => undefined);
      await sleep(AGAIN_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();

  async function handOver({ hash, raw }: { hash: Hex; raw: Hex }): Promise<void> {
    const receipt = await rpc<unknown>(url, 'eth_getTransactionReceipt', [hash]);
    if (receipt === null) await rpc(url, 'eth_sendRawTransaction', [raw]);
  }

  function send(raw: Hex): Hex {
    const hash = keccak256(raw);
    if (!sent.some((each) => each.hash === hash)) sent.push({ hash, raw });
    return hash;
  }

  async function sendAsPayer(given: { to: Address; value?: bigint; data?: Hex; gas?: bigint }): Promise<Hex> {
    const own = nonce;
    nonce += 1;
    const prices = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI, gas: 200_000n };
    return send(await PAYER.signTransaction({ ...prices, ...given, nonce: own, chainId: LOCAL_CHAIN_ID }));
  }

  async function sentBy(address: string): Promise<number> {
    return Number(await rpc<Hex>(url, 'eth_getTransactionCount', [address, 'latest']));
  }

  const mint = { abi: contracts.TestUsdt.abi, functionName: 'mint', args: [PAYER.address, PLENTY] };
  await sendAsPayer({ to: TEST_USDT, data: encodeFunctionData(mint) });

  return {
    send,
    sentBy,
    pay: (asset, to, units) =>
      sendAsPayer(
        asset === 'ETH'
          ? { to: to as Address, value: units }
          : { to: TEST_USDT, data: transferOf(to as Address, units) },
      ),
    deploy: (deployment) => sendAsPayer({ ...deployment, gas: DEPLOYMENT_GAS }),
    async usdtOf(address) {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address as Address],
      });
      return BigInt(await rpc<Hex>(url, 'eth_call', [{ to: TEST_USDT, data }, 'latest']));
    },
    stop() {
      ending.abort();
      return loop;
    },
  };
}

const transferOf = (to: Address, units: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] });
