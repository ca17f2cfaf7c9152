import type { Logger } from 'pino';
import { audit } from '../../kernel/audit/audit';
import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { holderOf } from '../../kernel/security/address-lists';

/**
 * Failed sign-ins of clients: audited with address and claimed id, and slowed by address.
 *
 * The first failure of an address and a claimed id is a row of the audit log. The count of the others is a second row, a
 * minute later. A flood so adds a bounded number of rows. Only wrong secrets wait: the right one is answered at once,
 * from any address. Everything is kept in memory, by each process for itself.
 */
export interface FailedSignIns {
  /**
   * Notes a failure.
   * @returns milliseconds to wait before the refusal
   */
  note(address: string, clientId: string): number;
  /** Writes the counts that are left. */
  stop(): Promise<void>;
}

/** Counts are written this often. An address without a failure for this long is forgotten. */
const WINDOW_MS = 60_000;
/** Failures of an address in a row that do not wait. */
const FREE_FAILURES = 10;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** Addresses that are known at once. The oldest is dropped. */
const MAX_ADDRESSES = 10_000;
/** Pairs of address and claimed id that are counted apart in a minute. Further ones share a row. */
const MAX_PAIRS = 100;
const MAX_IDS_OF_ADDRESS = 10;
/** Stands for addresses or ids that share a row of the audit log. */
const VARIOUS = 'various';
/** Stands for a claimed id that is no client id. Such an id may be a secret in the wrong header, so none is stored. */
const MALFORMED = 'malformed';

export interface FailedSignInOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  windowMs?: number;
}

interface Deps {
  database: Sql;
  log: Logger;
  /** Counts a failure for the metrics. */
  observeFailedSignIn(): void;
}

export function createFailedSignIns(
  deps: Deps,
  { now = () => performance.now(), windowMs = WINDOW_MS }: FailedSignInOptions = {},
): FailedSignIns {
  const delays = createDelays(now);
  const lines = createLines();
  let closing: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function write(line: Line): void {
    const caller = { tenantId: 'api', role: 'client' } as const;
    const after = { address: line.address, failures: line.failures };
    const record = { caller, requestId: '', action: 'client.refuse', subject: line.clientId };
    writing = writing
      .then(() => audit(deps.database, { ...record, tenantId: null, after }))
      .catch((error: unknown) => deps.log.warn({ err: error }, 'failed sign-ins could not be audited'));
  }

  function closeWindow(): void {
    closing = undefined;
    for (const line of lines.take()) if (line.failures > 0) write(line);
  }

  return {
    note(address, clientId) {
      deps.observeFailedSignIn();
      const holder = holderOf(address);
      const isClientId = isId('tenant', clientId);
      const line = lines.of(holder, isClientId ? clientId : MALFORMED);
      line.failures += 1;
      if (line.isNew) {
        write(line);
        line.isNew = false;
        line.failures = 0;
      }
      closing ??= setTimeout(closeWindow, windowMs).unref();
      return isClientId ? delays.after(holder) : 0; // no secret can be guessed for another id
    },
    stop() {
      clearTimeout(closing);
      closeWindow();
      return writing;
    },
  };
}

interface Line {
  address: string;
  clientId: string;
  /** Failures that are not in the audit log yet. */
  failures: number;
  isNew: boolean;
}

/** The rows of a minute: a bounded number, however many addresses and ids there are. */
function createLines() {
  let lines = new Map<string, Line>();
  let idsOf = new Map<string, number>();

  function lineOf(address: string, clientId: string): Line {
    const key = `${address} ${clientId}`;
    const line = lines.get(key) ?? { address, clientId, failures: 0, isNew: true };
    lines.set(key, line);
    return line;
  }

  return {
    of(address: string, clientId: string): Line {
      if (lines.has(`${address} ${clientId}`)) return lineOf(address, clientId);
      const ids = idsOf.get(address) ?? 0;
      if (lines.size >= MAX_PAIRS) return lineOf(VARIOUS, VARIOUS);
      idsOf.set(address, ids + 1);
      return lineOf(address, ids >= MAX_IDS_OF_ADDRESS ? VARIOUS : clientId);
    },
    /** All rows. The next one is of a new minute. */
    take(): Line[] {
      const taken = [...lines.values()];
      lines = new Map();
      idsOf = new Map();
      return taken;
    },
  };
}

/** Growing delays by address. A success changes nothing, so an attacker with a valid secret of its own gains nothing. */
function createDelays(now: () => number) {
  const failures = new Map<string, { count: number; at: number }>();
  return {
    after(address: string): number {
      const at = now();
      const known = failures.get(address);
      const count = (known && at - known.at < WINDOW_MS ? known.count : 0) + 1;
      failures.delete(address); // the order of the map is that of the last failure
      const [oldest] = failures.keys();
      if (failures.size >= MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest);
      failures.set(address, { count, at });
      const late = count - FREE_FAILURES;
      return late <= 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(late - 1, 10));
    },
  };
}
