import { randomBytes } from 'node:crypto';
import { createCallbackSender } from '../../sandbox/callback-sender';
import { changesOf } from './progress';
import { scenarioOf } from './scenarios';
import type { SandboxPayout } from './store';

/** What another change follows within this is told with it. */
const TOGETHER_SECONDS = 5;

export interface Callbacks {
  /** Tells of what happens to a payout when it happens; returns at once. A process that stops tells no more. */
  follow(payout: SandboxPayout): void;
}

/** Callbacks `{ id, key }`, which say no more than which payout to look at. */
export function createCallbacks(options: { secret: Buffer; now: () => Date }): Callbacks {
  const sender = createCallbackSender(options);
  const forger = createCallbackSender({ ...options, secret: randomBytes(32) });

  function tell({ key, amount, callbackUrl }: SandboxPayout, status: string): void {
    const message = { id: `${key}-${status}`, key };
    sender.send(callbackUrl, message);
    if (!scenarioOf(amount).repeatsCallbacks) return;
    sender.send(callbackUrl, message);
    forger.send(callbackUrl, { ...message, id: `${message.id}-forged` });
  }

  return {
    follow(payout) {
      if (scenarioOf(payout.amount).sendsNoCallbacks) return;
      const changes = changesOf(payout);
      changes.forEach(({ status, afterSeconds }, index) => {
        const next = changes[index + 1]?.afterSeconds ?? Number.POSITIVE_INFINITY;
        if (next - afterSeconds < TOGETHER_SECONDS) return;
        setTimeout(() => tell(payout, status), afterSeconds * 1000).unref();
      });
    },
  };
}
