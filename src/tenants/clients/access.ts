import type { Sql } from '../../kernel/db/database';
import { FRESH_MS, REVALIDATE_MS, STALE_IF_ERROR_MS } from '../../kernel/db/freshness';
import { gathered } from '../../kernel/db/gathered';
import type { Scope } from '../../kernel/scopes';
import { type AddressList, addressList } from '../../kernel/security/address-lists';
import type { OwningOperator, Tenant, TenantAccess } from './record';
import { accessVersions, readAccess } from './store';

/** A tenant without requests for this long is dropped from the cache. */
const UNUSED_MS = 60_000;
/** Cached tenants. Each costs about a kilobyte, and an index lookup twice a second. */
const MAX_KNOWN = 10_000;

/** A cached tenant with its secrets. Times are milliseconds of the process's monotonic clock. */
export interface KnownTenant {
  tenant: Tenant;
  operator: OwningOperator | null;
  /** Secrets that were valid when they were read. */
  secrets: KnownSecret[];
}

export interface KnownSecret {
  id: string;
  hash: Buffer;
  /** Null for a current secret. */
  endsAt: number | null;
  /** Null: all. */
  scopes: readonly Scope[] | null;
  /** Null: from anywhere. */
  addresses: AddressList | null;
}

interface Entry extends KnownTenant {
  version: string;
  confirmedAt: number;
  usedAt: number;
}

/** Cache of tenants and their secrets, so that the hot path needs no query. */
export interface Access {
  /**
   * The tenant, if it is cached and was confirmed within the last second. One statement confirms all tenants in use by
   * their version, at most twice a second, and while traffic flows no request waits for it.
   * @throws DatabaseAway when the last confirmation is more than five seconds old and the next one fails
   */
  known(tenantId: string): Promise<KnownTenant | undefined>;
  /**
   * Reads the present tenant, undefined when it does not exist. One statement runs at a time, so strangers cannot cause
   * queries at will.
   */
  read(tenantId: string): Promise<KnownTenant | undefined>;
  /** Call it after the commit of a change, so that the change takes effect in this process at once. */
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
    // Tenants that were forgotten meanwhile may have been read before their change. Those entries are returned, but not
    // cached.
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
      // A confirmation that is under way may have begun too long ago. The next one has not.
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

/**
 * Converts the end of a secret from the database's clock to the process's clock, so that differing clocks do not
 * matter.
 */
function entryOf({ tenant, operator, version, secrets }: TenantAccess, startedAt: number): Entry {
  return {
    tenant,
    operator,
    version,
    secrets: secrets.map(({ id, hash, leftMs, scopes, addresses }) => ({
      id,
      hash,
      endsAt: leftMs === null ? null : startedAt + leftMs,
      scopes,
      addresses: addresses && addressList(addresses),
    })),
    confirmedAt: startedAt,
    usedAt: startedAt,
  };
}
