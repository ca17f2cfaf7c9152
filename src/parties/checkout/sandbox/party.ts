import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { type FullSession, lockFullSession, momentsOf, statusAt } from './state';
import { type Session, sessionOf } from './store';

/** A session's state at a time. */
export interface Present {
  full: FullSession;
  version: number;
  at: Date;
}

export interface Party extends PartyOptions {
  /** Undefined where the session does not exist. */
  read(by: { id: string } | { page: string }): Promise<Present | undefined>;
  /**
   * Runs `work` in one transaction that holds the session's row, and records the change. Callbacks follow after the
   * commit and whenever a planned change is due.
   * @param work false where nothing has changed
   */
  change(id: string, work: (tx: Tx, full: FullSession, at: Date) => Promise<boolean>): Promise<void>;
}

export function createParty(options: PartyOptions): Party {
  const { database, now } = options;
  return {
    ...options,
    read: (by) =>
      database.transaction(async (tx) => {
        const id = 'id' in by ? by.id : await sessionOf(tx, by.page);
        return id === undefined ? undefined : presentSession(tx, id, now);
      }),
    change: (id, work) =>
      database.transaction(async (tx) => {
        const full = await lockFullSession(tx, id, 'update');
        const at = now();
        if (full && (await work(tx, full, at))) await recordSession(tx, id, at);
      }),
  };
}

/** The session's whole state now. */
export async function presentSession(tx: Tx, id: string, now: () => Date): Promise<Present | undefined> {
  const [full, times] = await Promise.all([
    lockFullSession(tx, id, 'share'),
    changeTimes(tx, 'checkout', id),
  ]);
  const at = now();
  return full && { full, version: versionAt(times, at), at };
}

/** Records that the session has changed, and its planned changes. The caller holds its row. */
async function recordSession(tx: Tx, id: string, at: Date): Promise<void> {
  const full = (await lockFullSession(tx, id, 'update')) as FullSession;
  recordChange(tx, changing(full), [{ at }], momentsOf(full, at));
}

/**
 * Records a new session without a callback, and its payment where the amount plans one. The caller holds its row.
 * @returns the state when it was made, for the answer
 */
export async function recordMade(tx: Tx, session: Session, at: Date): Promise<Present> {
  const full = (await lockFullSession(tx, session.id, 'update')) as FullSession;
  const paid = statusAt(full, at) === 'open' ? [] : [{ at }];
  recordChange(tx, changing(full), [{ at, quiet: true }, ...paid], momentsOf(full, at));
  return { full: { session, payments: [], refunds: [], disputes: [] }, version: 1, at };
}

const changing = ({ session: { id, callbackUrl } }: FullSession) =>
  ({ party: 'checkout', ref: id, callbackUrl }) as const;
