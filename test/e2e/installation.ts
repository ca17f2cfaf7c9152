import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { killAll, START_MS } from '../startup/process';
import { startWhole, type Whole } from '../support/product';
import { temporaryFolder } from '../support/servers';

/** Automatic sweeps look once a minute, and a demo may need three looks: only a hang takes this long. */
export const DEMO_MS = 300_000;

/** What `npm start` runs, in a folder of its own. */
export interface Installation {
  dataDir: string;
  /** A test that has ended it starts it again. */
  whole: Whole;
  /** `npm run demo`. @param argv which demo, and how */
  demo(...argv: string[]): Promise<{ code: number | null; text: string }>;
}

/** A new one for the tests of a file, ended after them. */
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
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/demo.ts', ...argv], {
    cwd: join(__dirname, '../..'),
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}
