import { mkdtempSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics } from '../../../src/kernel/metrics/metrics';
import { testCertificate } from '../../support/outside/certificate';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-machine-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function scraped(
  machine: Parameters<typeof createMetrics>[0] & object,
): Promise<Record<string, number>> {
  const { body } = await createMetrics(machine).render();
  const lines = body.matchAll(/^((?:disk|certificate)_\S+) (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, series, value]) => [series, Number(value)]));
}

it('shows the disk of each folder, and none for a folder that is away', async () => {
  const seen = await scraped({
    machine: { folders: { data: folder, documents: join(folder, 'away') }, certificates: {} },
  });
  const { blocks, bsize } = await statfs(folder);
  expect(seen['disk_size_bytes{place="data"}']).toBe(blocks * bsize);
  expect(seen['disk_free_bytes{place="data"}']).toBeGreaterThan(0);
  expect(seen['disk_free_bytes{place="data"}']).toBeLessThanOrEqual(blocks * bsize);
  expect(Object.keys(seen)).toHaveLength(2);
});

it('shows the end of a client certificate', async () => {
  const { cert } = testCertificate();
  const seen = await scraped({ machine: { folders: {}, certificates: { temporal: Buffer.from(cert) } } });
  const inSeconds = seen['certificate_expires_timestamp_seconds{peer="temporal"}']! - Date.now() / 1_000;
  expect(inSeconds).toBeGreaterThan(3_600);
  expect(inSeconds).toBeLessThan(2 * 86_400);
});
