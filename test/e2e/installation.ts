import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { killAll, START_MS } from '../startup/process';
import { startWhole, type Whole } from '../support/product';
import { temporaryFolder } from '../support/servers';

/**
 * Time limit in milliseconds that only a hang reaches. Automatic sweeps run once a minute, and a demo may need three.
 */
export const DEMO_MS = 300_000;

/** A running `npm start` with its own data folder. */
export interface Installation {
  dataDir: string;
  /** The running product. A test that ends it must start it again. */
  whole: Whole;
  /** Runs `npm run demo`. @param argv arguments of the demo */
  demo(...argv: string[]): Promise<{ code: number | null; text: string }>;
}

/** Starts an installation for the tests of a file, and ends it after them. */
export function installation(): Installation {
  const dataDir = temporaryFolder('e2e');
  const world = { dataDir, demo: (...argv) => runDemo(dataDir, ...argv) } as Installation;
  beforeAll(async () => {
    world.whole = await startWhole(dataDir);
  }, START_MS);
  afterAll(async () => {
    await world.whole?.stop();
    killAll();
    rmSync(dataDir, { recursive: true, force: true });
  }, START_MS);
  return world;
}

function runDemo(dataDir: string, ...argv: string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(
    process.execPath,
    ['--require', './scripts/typescript.cjs', 'scripts/demo.ts', ...argv],
    {
      cwd: join(__dirname, '../..'),
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}
