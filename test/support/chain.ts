import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Abi,
  type Account,
  type Address,
  createTestClient,
  defineChain,
  getAddress,
  type Hex,
  http,
  publicActions,
  walletActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import contracts from '../../contracts/contracts.json';
import { CREATE2_FACTORY } from '../../src/parties/chain/create2';
import { MULTICALL } from '../../src/parties/chain/evm/multicall';
import { anvilExecutable } from '../../src/startup/embedded/chain/binary';
import { ownPort } from './own-port';
import { timed } from './run/timed';
import { kill } from './servers';

/** The first account of anvil's well-known test mnemonic; it has 10,000 ETH. */
export const RICH: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export interface TestChainOptions {
  /** Seconds for each block. Absent: one block for each transaction, at once. `manual`: only by `mine`. */
  blockTime?: number | 'manual';
  chainId?: number;
  /** Blocks of an epoch: `safe` is as many blocks behind the newest, and `finalized` twice as many. Absent: 32. */
  epoch?: number;
  /** Base fee of the first block, in wei. */
  baseFee?: bigint;
  /** Absent: the newest of anvil. */
  hardfork?: 'cancun';
  /** Takes the fee of a chain below from senders, as L1Block tells it (0x42…15). Receipts do not show it. */
  family?: 'optimism';
}

export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Starts a real EVM node on a new chain, with a client that may change anything. */
export async function startTestChain({
  blockTime,
  chainId = 31_337,
  epoch,
  baseFee,
  hardfork,
  family,
}: TestChainOptions = {}) {
  const executable = anvilExecutable();
  if (!executable) throw new Error('@foundry-rs/anvil is not installed for this machine');
  const port = await ownPort();
  const args = [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--quiet'],
    // Like Ethereum (EIP-7825), allows at most 16,777,216 gas for a transaction.
    '--enable-tx-gas-limit',
    ...(blockTime === 'manual' ? ['--no-mining'] : []),
    ...(typeof blockTime === 'number' ? ['--block-time', String(blockTime)] : []),
    ...(baseFee === undefined ? [] : ['--base-fee', String(baseFee)]),
    ...(epoch === undefined ? [] : ['--slots-in-an-epoch', String(epoch)]),
    ...(family === undefined ? [] : ['--network', family]),
    ...(hardfork === undefined ? [] : ['--hardfork', hardfork]),
  ];
  const node: ChildProcess = spawn(executable, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const payer = privateKeyToAccount(RICH);
  // Does not import viem's chains, because they are a thousand modules and each test file loads its own.
  const chain = defineChain({
    id: chainId,
    name: 'Test',
    rpcUrls: { default: { http: [url] } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  });
  const client = createTestClient({
    mode: 'anvil',
    chain,
    transport: http(url),
    account: payer,
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
  await timed('servers', () => untilItAnswers(() => client.getChainId()));

  /**
   * Receipt of a transaction that has a block or gets one. A busy node answers a send before it has mined.
   * Polls, because viem's own wait reads again only after the next block, which may never come.
   */
  const receipt = (hash: Hex) => untilItAnswers(() => client.getTransactionReceipt({ hash }));

  /** Waits for the transaction's block. With manual mining, mines one. */
  async function mined(hash: Hex) {
    if (blockTime === 'manual') await client.mine({ blocks: 1 });
    return receipt(hash);
  }

  async function deploy(name: keyof typeof contracts, args: unknown[] = []): Promise<Address> {
    const { abi, bytecode } = contracts[name];
    const hash = await client.deployContract({ abi: abi as Abi, bytecode: bytecode as Hex, args });
    const { contractAddress } = await mined(hash);
    if (!contractAddress) throw new Error(`${name} was not made`);
    return getAddress(contractAddress);
  }

  const write = (
    address: Address,
    name: keyof typeof contracts,
    functionName: string,
    args: unknown[],
    account: Account = payer,
  ) => client.writeContract({ address, abi: contracts[name].abi as Abi, functionName, args, account });

  return {
    url,
    chainId,
    client,
    payer: payer.address,
    node,
    mined,
    receipt,
    write,
    deploy,
    /** Deploys the test USDT; the payer has 10⁹ of it. */
    async token({ decimals = 6, feeBasisPoints = 0 } = {}): Promise<Address> {
      const token = await deploy('TestUsdt', [decimals, feeBasisPoints]);
      await mined(await write(token, 'TestUsdt', 'mint', [payer.address, 10n ** BigInt(9 + decimals)]));
      return token;
    },
    /** Puts a contract with the functions of Multicall3 at its address. */
    async multicall(): Promise<void> {
      const bytecode = (await client.getCode({ address: await deploy('Multicall') })) ?? '0x';
      await client.setCode({ address: MULTICALL, bytecode });
    },
    /** @returns the hash; the transaction is in a block unless blocks are mined manually */
    async pay(token: Address | null, to: string, units: bigint): Promise<Hex> {
      const hash =
        token === null
          ? await client.sendTransaction({ to: to as Address, value: units })
          : await write(token, 'TestUsdt', 'transfer', [to, units]);
      if (blockTime === undefined) await mined(hash);
      return hash;
    },
    /** Loses all blocks and contracts, except those that a new chain has from its first block. */
    async beginAnew(): Promise<void> {
      const bytecode = await client.getCode({ address: CREATE2_FACTORY });
      await client.request({ method: 'anvil_reset', params: [] } as never);
      await client.setCode({ address: CREATE2_FACTORY, bytecode: bytecode ?? '0x' });
    },
    /** Returns a signed transaction, because a transaction of a lost block may come into another one. */
    async signed(hash: Hex): Promise<Hex> {
      const raw: unknown = await client.request({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      } as never);
      return raw as Hex;
    },
    stop: () => kill(node),
  };
}

async function untilItAnswers<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 1_000) throw error;
      await sleep(25);
    }
  }
}
