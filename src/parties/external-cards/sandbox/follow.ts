import { randomUUID } from 'node:crypto';
import { SIGNATURE_HEADER } from '../../protocol/signature';
import type { CallbackSender } from '../../sandbox/callback-sender';
import { changesOf } from './progress';
import { scenarioOf } from './scenarios';
import type { SandboxCardOrder } from './store';

/** What comes later than this is found by asking: nobody waits a day for a sandbox. */
const LONGEST_MS = 5 * 60_000;

/** Tells of every change that is still to come when its time comes; of the one that is just now, at once. */
export function followOrder(
  order: SandboxCardOrder,
  { callbacks, now }: { callbacks: CallbackSender; now: () => Date },
): void {
  const { sendsNoCallbacks, repeatsCallbacks } = scenarioOf(order.token);
  if (sendsNoCallbacks) return;
  const since = order.confirmedAt ?? order.refusedAt ?? order.acceptedAt ?? now();
  for (const { at } of changesOf(order).filter((change) => change.at >= since)) {
    const waits = Math.max(0, at.getTime() - now().getTime());
    if (waits > LONGEST_MS) continue;
    setTimeout(() => tell(order, callbacks, repeatsCallbacks === true), waits + 20).unref();
  }
}

function tell(
  { key, callbackUrl }: SandboxCardOrder,
  callbacks: CallbackSender,
  repeatsCallbacks: boolean,
): void {
  const message = { id: randomUUID(), key };
  callbacks.send(callbackUrl, message);
  if (!repeatsCallbacks) return;
  callbacks.send(callbackUrl, message);
  void forge(callbackUrl, key);
}

/** What anybody could send who knows the address. */
async function forge(callbackUrl: string, key: string): Promise<void> {
  await fetch(callbackUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: `t=1,v1=${'0'.repeat(64)}` },
    body: JSON.stringify({ id: randomUUID(), key }),
  }).catch(() => undefined);
}
