import { setTimeout as sleep } from 'node:timers/promises';
import { SIGNATURE_HEADER, signMessage } from '../protocol/signature';

export interface CallbackSender {
  /**
   * Tells whoever ordered that something has happened; returns at once. What does not arrive in a few tries is lost, as it
   * would be with any party: who ordered asks by itself, too.
   * @param message with the party's own name for it in `id`, the same at each try
   */
  send(url: string, message: { id: string } & Record<string, unknown>): void;
  /** Resolves when all that was sent has arrived or been given up. */
  idle(): Promise<void>;
}

const TRIES_AFTER_MS = [0, 1_000, 5_000];
const TIMEOUT_MS = 5_000;

export function createCallbackSender({
  secret,
  now = () => new Date(),
}: {
  secret: Buffer;
  now?: () => Date;
}): CallbackSender {
  const underWay = new Set<Promise<void>>();

  async function deliver(url: string, raw: Buffer): Promise<void> {
    for (const afterMs of TRIES_AFTER_MS) {
      // A process that stops does not wait for it.
      if (afterMs > 0) await sleep(afterMs, undefined, { ref: false });
      if (await arrives(url, raw, signMessage(raw, secret, now()))) return;
    }
  }

  return {
    send(url, message) {
      const delivery = deliver(url, Buffer.from(JSON.stringify(message))).finally(() =>
        underWay.delete(delivery),
      );
      underWay.add(delivery);
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}

async function arrives(url: string, raw: Buffer, signature: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
      body: new Uint8Array(raw),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
