import { rmSync } from 'node:fs';

export default async function teardown(): Promise<void> {
  await ((globalThis as Record<string, unknown>)['stopTestServers'] as (() => Promise<void>) | undefined)?.();
  const dataDir = process.env['TEST_DATA_DIR'];
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
}
