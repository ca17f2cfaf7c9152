import type { Tx } from '../../../kernel/db/database';
import { recordChange, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { type FullSession, loadFullSession, momentsOf } from './state';
import { lockSession, type Session } from './store';

/** A session as it is at a time. */
export interface Present {
  full: FullSession;
  version: number;
  at: Date;
}

/** What the party's API and its pages share. */
export interface Party extends PartyOptions {
  /** Nothing where there is none. */
  read(by: { id: string } | { page: string }): Promise<Present | undefined>;
  /**
   * Runs in one transaction that holds the session's row, and records that it has changed: whoever made it is told when
   * that is committed, and whenever more happens by itself.
   * @param work false when it has changed nothing
   */
  change(id: string, work: (tx: Tx, full: FullSession, at: Date) => Promise<boolean>): Promise<void>;
}

export function createParty(options: PartyOptions): Party {
  const { database, now } = options;
  return {
    ...options,
    read: (by) =>
      database.transaction(async (tx) => {
        const session = await lockSession(tx, by, 'share');
        if (!session) return undefined;
        const at = now();
        const version = await versionAt(tx, 'checkout', session.id, at);
        return { full: await loadFullSession(tx, session), version, at };
      }),
    change: (id, work) =>
      database.transaction(async (tx) => {
        const session = await lockSession(tx, { id }, 'update');
        const at = now();
        if (!session || !(await work(tx, await loadFullSession(tx, session), at))) return;
        await recordSession(tx, id, at);
      }),
  };
}

/**
 * It has changed, and will by itself. The caller holds its row.
 * @param quiet nobody is called now
 */
export async function recordSession(tx: Tx, id: string, at: Date, quiet?: (full: FullSession) => boolean) {
  const session = (await lockSession(tx, { id }, 'update')) as Session;
  const full = await loadFullSession(tx, session);
  const { callbackUrl } = session;
  const now = { at, quiet: quiet?.(full) ?? false };
  await recordChange(tx, { party: 'checkout', ref: id, callbackUrl }, now, momentsOf(full, at));
}
