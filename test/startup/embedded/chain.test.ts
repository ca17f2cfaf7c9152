/** @long @isolated kills servers. */
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { anvilExecutable } from '../../../src/startup/embedded/chain/binary';
import { rpc } from '../../../src/startup/embedded/chain/rpc';
import { type EmbeddedChain, localChainUrl, startChain } from '../../../src/startup/embedded/chain/server';
import { ensureTestUsdt, payLocally, TEST_USDT } from '../../../src/startup/embedded/chain/token';
import { giveOwnPorts, kill, startKeeper, temporaryFolder } from '../../support/servers';
import { until } from '../../support/until';

const SOMEBODY = '0x000000000000000000000000000000000000dEaD';
const executable = anvilExecutable() as string;

let dataDir: string;
let warnings: string[];
let server: EmbeddedChain | undefined;
beforeEach(async () => {
  dataDir = temporaryFolder();
  await giveOwnPorts(dataDir);
  warnings = [];
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

async function start() {
  const log = { info: () => undefined, warn: (line: string) => void warnings.push(line) };
  server = await startChain({ dataDir, executable, log });
  return server;
}

const heightOf = async (url: string) => Number(await rpc<string>(url, 'eth_blockNumber'));
const receiptOf = (url: string, hash: string) =>
  rpc<{ status: string; blockHash: string; blockNumber: string } | null>(url, 'eth_getTransactionReceipt', [
    hash,
  ]);

test('keeps blocks, token and port over a restart, and adds blocks after a transaction', async () => {
  const first = await start();
  expect(await ensureTestUsdt(first.url)).toBe(true);
  const hash = await payLocally(first.url, 'USDT', SOMEBODY, 25_000_000n);
  const receipt = await receiptOf(first.url, hash);
  await until(async () => (await heightOf(first.url)) >= Number(receipt?.blockNumber) + 2);
  await first.stop();
  const second = await start();
  expect([second.url, await localChainUrl(dataDir)]).toEqual([first.url, first.url]);
  expect(await receiptOf(second.url, hash)).toEqual(receipt);
  expect(await ensureTestUsdt(second.url)).toBe(false);
  expect(warnings).toEqual([]);
});

test('a chain left behind by a SIGKILL is taken over unchanged', async () => {
  const keeper = await startKeeper('chain', dataDir, executable);
  const hash = await payLocally(keeper.url!, 'ETH', SOMEBODY, 1n);
  await expect(start()).rejects.toThrow(`Another process (${keeper.process.pid}) already runs`);
  await kill(keeper.process);
  const taken = await start();
  expect([taken.pid(), taken.url]).toEqual([keeper.pid, keeper.url]);
  expect(await receiptOf(taken.url, hash)).toMatchObject({ status: '0x1' });
});

/** Waits until the disk has a copy of the chain that was started after the call: the second copy that ends after it. */
async function keptOnceMore(): Promise<void> {
  const writtenAt = () =>
    stat(join(dataDir, 'chain-state.gz')).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const seen = new Set<number>();
  await until(async () => seen.add(await writtenAt()).size > 2);
}

test('a killed chain is started again at its address from the saved copy', async () => {
  const { url, pid } = await start();
  await ensureTestUsdt(url);
  const before = pid();
  await keptOnceMore();
  process.kill(before, 'SIGKILL');
  await until(() => pid() !== before);
  expect(await rpc<string>(url, 'eth_getCode', [TEST_USDT, 'latest'])).not.toBe('0x');
});

test('a chain that cannot be read is set aside, and a new one begins', async () => {
  await writeFile(join(dataDir, 'chain-state.gz'), 'damaged');
  const { url } = await start();
  expect(warnings).toEqual([expect.stringContaining('set aside')]);
  expect(await ensureTestUsdt(url)).toBe(true);
});
