import type { Sql } from '../../kernel/db/database';
import { FRESH_MS, REVALIDATE_MS, STALE_IF_ERROR_MS } from '../../kernel/db/freshness';
import { gathered } from '../../kernel/db/gathered';
import { type Tenant, type TenantAccess } from './record';
import { accessVersions, readAccess } from './store';

/** A tenant that was not asked for in so long is not confirmed any more, but forgotten. */
const UNUSED_MS = 60_000;
/** Tenants that are cached at a time: each costs about a kilobyte, and an index lookup twice a second. */
const MAX_KNOWN = 10_000;

/** A tenant and its secrets as they were read. Times are of the process's monotonic clock, in milliseconds. */
export interface KnownTenant {
  tenant: Tenant;
  /** Those that lived when they were read. `endsAt` is null for the current one. */
  secrets: { id: string; hash: Buffer; endsAt: number | null }[];
}

interface Entry extends KnownTenant {
  version: string;
  confirmedAt: number;
  usedAt: number;
}

/** The process's cache of tenants and their secrets, so that the hot path asks the database for nothing. */
export interface Access {
  /**
   * The tenant, where it is known and the database has confirmed it within the last second. While traffic flows no
   * request waits for that: one statement, at most twice a second, confirms all tenants in use by their version.
   * @throws DatabaseAway when it cannot be confirmed, and was not for five seconds
   */
  known(tenantId: string): Promise<KnownTenant | undefined>;
  /**
   * The tenant as it is now; nothing when there is none. However many ask, one statement is under way at a time: no
   * stranger can make us ask at will.
   */
  read(tenantId: string): Promise<KnownTenant | undefined>;
  /** To be called after the commit of a change: in this process it counts at once. */
  forget(tenantId: string): void;
}

export interface AccessOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  maxKnown?: number;
}

export function createAccess(
  database: Sql,
  { now = () => performance.now(), maxKnown = MAX_KNOWN }: AccessOptions = {},
): Access {
  const known = new Map<string, Entry>();
  let forgotten = 0;
  let confirming: Promise<void> | undefined;

  async function confirmAll(): Promise<void> {
    const startedAt = now();
    for (const [id, { usedAt }] of known) if (startedAt - usedAt > UNUSED_MS) known.delete(id);
    const asked = [...known];
    const ids = asked.map(([id]) => id);
    const versions = await accessVersions(database, ids);
    for (const [id, entry] of asked) {
      if (versions.get(id) === entry.version) entry.confirmedAt = startedAt;
      else if (known.get(id) === entry) known.delete(id);
    }
  }

  function confirm(): Promise<void> {
    confirming ??= confirmAll().finally(() => {
      confirming = undefined;
    });
    return confirming;
  }

  const readTogether = gathered(async (ids: string[]) => {
    const startedAt = now();
    const before = forgotten;
    const read = new Map<string, Entry>();
    for (const [id, access] of await readAccess(database, ids)) read.set(id, entryOf(access, startedAt));
    // What was forgotten meanwhile may have been read before its change: it serves those who asked, and is not kept.
    if (before === forgotten) for (const [id, entry] of read) keep(id, entry);
    return read;
  });

  function keep(id: string, entry: Entry): void {
    const [oldest] = known.keys();
    if (known.size >= maxKnown && oldest !== undefined && !known.has(id)) known.delete(oldest);
    known.set(id, entry);
  }

  return {
    async known(tenantId) {
      const at = now();
      let entry = known.get(tenantId);
      if (entry) entry.usedAt = at;
      // What is under way may have begun too long ago; what begins after it has not.
      for (let turn = 0; entry && at - entry.confirmedAt > FRESH_MS && turn < 2; turn += 1) {
        try {
          await confirm();
        } catch (error) {
          if (at - entry.confirmedAt > STALE_IF_ERROR_MS) throw error;
          return entry;
        }
        entry = known.get(tenantId);
      }
      if (entry && at - entry.confirmedAt > REVALIDATE_MS) confirm().catch(() => undefined);
      return entry;
    },
    read: async (tenantId) => (await readTogether(tenantId)).get(tenantId),
    forget(tenantId) {
      forgotten += 1;
      known.delete(tenantId);
    },
  };
}

/** The end of a secret by the database's clock becomes one by ours, so that clocks which differ do not matter. */
function entryOf({ tenant, version, secrets }: TenantAccess, startedAt: number): Entry {
  return {
    tenant,
    version,
    secrets: secrets.map(({ id, hash, leftMs }) => ({
      ...{ id, hash, endsAt: leftMs === null ? null : startedAt + leftMs },
    })),
    confirmedAt: startedAt,
    usedAt: startedAt,
  };
}
