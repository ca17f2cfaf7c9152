import { typeidUnboxed } from 'typeid-js';
import type { Tx } from '../../../kernel/db/database';
import { createCallbackSender } from '../../sandbox/callback-sender';
import type { PartyOptions } from '../../sandbox/options';
import { secondsAfter } from '../../sandbox/time';
import { type Change, payByScenario } from './actions';
import { scenarioOf } from './scenarios';
import { lockSession, type Session } from './store';

/** What the party's API and its pages share. */
export interface Party extends PartyOptions {
  /**
   * Runs in one transaction. Whoever made the session is told when it is committed, and whenever more happens by itself;
   * not of what came to nothing.
   */
  change(work: (tx: Tx, at: Date) => Promise<Change | undefined>): Promise<void>;
  /** A session as it is now: one that pays itself is paid when its time has come. */
  present(session: Session): Promise<Session>;
}

export function createParty(options: PartyOptions): Party {
  const { database, secret, now } = options;
  const sender = createCallbackSender({ secret, now });

  const tell = ({ id, callbackUrl }: Session): void =>
    sender.send(callbackUrl, { id: typeidUnboxed('cke'), sessionId: id });

  /** By this process alone: what it does not live to tell, whoever asks will see. */
  function follow({ session, moments }: Change): void {
    tell(session);
    for (const moment of moments) {
      const delay = moment.getTime() - now().getTime();
      if (delay > 0) setTimeout(() => tell(session), delay).unref();
    }
  }

  async function change(work: (tx: Tx, at: Date) => Promise<Change | undefined>): Promise<void> {
    await database.transaction(async (tx) => {
      const done = await work(tx, now());
      if (done) tx.afterCommit(() => follow(done));
    });
  }

  async function present(session: Session): Promise<Session> {
    const paysAt = paysItselfAt(session);
    if (session.status !== 'open' || paysAt === undefined || paysAt > now()) return session;
    let latest = session;
    await change(async (tx, at) => {
      latest = (await lockSession(tx, session.id)) ?? session;
      if (latest.status !== 'open') return undefined;
      const done = await payByScenario(tx, latest, at);
      latest = done.session;
      return done;
    });
    return latest;
  }

  return { ...options, change, present };
}

/** When the session is paid without a payer, if it is. */
export function paysItselfAt({ amount, firstAskedAt }: Session): Date | undefined {
  const { paysItselfSeconds } = scenarioOf(amount);
  return paysItselfSeconds === undefined ? undefined : secondsAfter(firstAskedAt, paysItselfSeconds);
}
