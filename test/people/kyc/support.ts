import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type TestApi, type TestWiring, testApi } from '../../support/api';

export interface KycApi extends TestApi {
  /** The folder of the documents. */
  folder: string;
  /** The names of all contents in the store: `cli_…/doc_…`. */
  stored(): Promise<string[]>;
  /** The bytes of a content. */
  bytesOf(name: string): Promise<Buffer>;
}

/** The API with documents in a folder of its own. */
export async function kycApi(options: TestWiring = {}): Promise<KycApi> {
  const folder = await mkdtemp(join(tmpdir(), 'cardwright-kyc-'));
  const api = await testApi({ documents: { kind: 'folder', folder }, ...options });
  return {
    ...api,
    folder,
    async stored() {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    },
    bytesOf: (name) => readFile(join(folder, name)),
    async close() {
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const kycStatus = async (client: Client, userId: string): Promise<string> =>
  (await client.call('GET', `/v1/users/${userId}/kyc`)).body.status as string;

/** The tenant's events of the user, in order. */
export async function eventsOf(api: TestApi, userId: string) {
  const rows = await api.database.query<{ data: string; idempotency_key: string | null }>(
    `select data, idempotency_key from events where event = 'kyc.status_changed' and data::json->>'userId' = $1
      order by number`,
    [userId],
  );
  return rows.map(({ data, idempotency_key }) => ({
    ...(JSON.parse(data) as { id: string; status: string; previousStatus: string; reason?: string }),
    key: idempotency_key,
  }));
}

export const decide = (admin: Client, userId: string, status: string, reason?: string) =>
  admin.call('PATCH', `/v1/users/${userId}/kyc/status`, reason ? { status, reason } : { status });
