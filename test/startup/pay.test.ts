/** @long @isolated launches programs. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestUsdt, TEST_USDT } from '../../src/startup/embedded/chain/token';
import { startTestChain, type TestChain } from '../support/chain';

const SOMEBODY = '0x000000000000000000000000000000000000dEaD';

let chain: TestChain;
let dataDir: string;
beforeAll(async () => {
  chain = await startTestChain();
  await ensureTestUsdt(chain.url);
  dataDir = mkdtempSync(join(tmpdir(), 'cardwright-pay-'));
});
afterAll(async () => {
  await chain.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function pay(...args: string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(
    process.execPath,
    ['--require', './scripts/typescript.cjs', 'scripts/pay.ts', ...args],
    {
      cwd: join(__dirname, '../..'),
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })));
}

test('npm run pay pays on the local chain and prints the hash', async () => {
  expect((await pay('--to', SOMEBODY, '--amount', '25')).code).toBe(1); // no product has run on that folder
  writeFileSync(join(dataDir, 'chain.json'), JSON.stringify({ port: Number(new URL(chain.url).port) }));
  const paid = await pay('--to', SOMEBODY.toLowerCase(), '--amount', '25.5');
  expect(paid).toEqual({ code: 0, out: expect.stringMatching(/^0x[0-9a-f]{64}\n$/) });
  const held = await chain.client.call({
    to: TEST_USDT,
    data: `0x70a08231${SOMEBODY.slice(2).padStart(64, '0')}`,
  });
  expect(BigInt(held.data ?? '0x')).toBe(25_500_000n);
  expect((await pay('--to', SOMEBODY, '--amount', '0.5', '--asset', 'ETH')).code).toBe(0);
  expect(await chain.client.getBalance({ address: SOMEBODY })).toBe(500_000_000_000_000_000n);
  const from = '0x7777777777777777777777777777777777bad001';
  const { out } = await pay('--to', SOMEBODY, '--amount', '25', '--from', from);
  const sent = await chain.client.getTransaction({ hash: out.trim() as `0x${string}` });
  expect(sent.from).toBe(from);
});

test.each([
  ['a wrong checksum', ['--to', `0xA${SOMEBODY.slice(3)}`, '--amount', '1']],
  ['an amount too fine', ['--to', SOMEBODY, '--amount', '0.0000001']],
])('%s is refused', async (_, args) => {
  expect(await pay(...args)).toEqual({ code: 2, out: '' });
});
