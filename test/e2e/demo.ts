import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** `npm run demo`, against the product that keeps its state in that folder. @param argv which demo, and how */
export function runDemo(dataDir: string, ...argv: string[]): Promise<{ code: number | null; text: string }> {
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
