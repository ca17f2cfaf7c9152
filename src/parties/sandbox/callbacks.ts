import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { request } from 'undici';
import type { Database } from '../../kernel/db/database';
import { lookoutOf } from '../../kernel/db/lookout';
import { SIGNATURE_HEADER, signMessage } from '../protocol/signature';
import {
  type DueCallback,
  NO_CALLBACK,
  nextDueAt,
  noteDelivered,
  noteUndelivered,
  PLANNED_CALLBACKS,
  takeDue,
} from './callback-store';
import { changeName } from './change-name';
import { changesCommitted } from './changes';
import type { SandboxParty } from './options';

export interface CallbackLoop {
  /** Sends due callbacks until {@link CallbackLoop.stop}. */
  start(): void;
  /** Aborts running deliveries. The next process to start sends them again. */
  stop(): Promise<void>;
}

interface CallbackOptions {
  database: Database;
  log: Logger;
  secretOf: (party: SandboxParty) => Buffer;
  /** The callback's field that names the record. */
  refNameOf: (party: SandboxParty) => string;
  now: () => Date;
  /** The machine's time, for signatures. */
  machineNow: () => Date;
}

/** Longest and shortest pauses in milliseconds while callbacks are planned. The loop must poll, because tests move clocks. */
const LATEST_MS = 1_000;
const SOONEST_MS = 20;
/** Concurrent deliveries, so that a silent receiver does not block the others. */
const MAX_AT_ONCE = 50;
const TIMEOUT_MS = 5_000;

/**
 * Sends the callbacks of `sandbox_party_changes`: at once after a change of this process, else when they are due.
 * Callbacks therefore survive the process that planned them.
 */
export function createCallbackLoop(options: CallbackOptions): CallbackLoop {
  const sender = createSender(options);
  const pause = createPause();
  let ending = new AbortController();
  let looping: Promise<void> | undefined;

  async function loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      pause.expect();
      const waitMs = await sender.sendDue(signal).catch((error: unknown) => {
        options.log.debug({ err: error }, 'the sandbox cannot read its due callbacks');
        return LATEST_MS;
      });
      if (signal.aborted) return;
      if (waitMs === undefined) await pause.until((over) => untilPlanned(options.database, over));
      else await pause.rest(Math.min(waitMs, LATEST_MS));
    }
  }

  return {
    start() {
      if (looping) return;
      ending = new AbortController();
      changesCommitted.subscribe(pause.end);
      looping = loop(ending.signal);
    },
    async stop() {
      if (!looping) return;
      changesCommitted.unsubscribe(pause.end);
      ending.abort();
      pause.end();
      await looping;
      await sender.idle();
      looping = undefined;
    },
  };
}

/** Other processes plan callbacks as well. */
const untilPlanned = (database: Database, signal: AbortSignal): Promise<void> =>
  lookoutOf(database).until(PLANNED_CALLBACKS, NO_CALLBACK, { signal });

function createSender({ database, log, secretOf, refNameOf, now, machineNow }: CallbackOptions) {
  const underWay = new Set<Promise<void>>();

  async function send(callback: DueCallback, signal: AbortSignal): Promise<void> {
    const { party } = callback;
    const signed = { secret: secretOf(party), at: machineNow(), signal };
    const arrived = await deliver(callback, refNameOf(party), signed);
    if (!arrived && signal.aborted) return; // taken again when its lease ends
    await (arrived ? noteDelivered : noteUndelivered)(database, callback, now());
  }

  return {
    /** Starts sending due callbacks. @returns milliseconds until the next one is due; undefined when none is planned */
    async sendDue(signal: AbortSignal): Promise<number | undefined> {
      const due = await nextDueAt(database);
      if (due === null) return undefined;
      const waitMs = due.getTime() - now().getTime();
      if (waitMs > 0) return Math.max(SOONEST_MS, waitMs);
      const room = MAX_AT_ONCE - underWay.size;
      if (room <= 0) return SOONEST_MS;
      for (const callback of await takeDue(database, now(), room)) {
        const sending = send(callback, signal)
          .catch((error: unknown) =>
            log.warn({ err: error }, 'the result of a sandbox callback could not be stored'),
          )
          .finally(() => underWay.delete(sending));
        underWay.add(sending);
      }
      return 0;
    },
    /** Resolves when no delivery is running. */
    async idle(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

/** A pause that can be ended, even before it starts. */
function createPause() {
  let ended = false;
  let wake: () => void = () => undefined;
  return {
    /** Calls of `end` from now on end the next pause. */
    expect() {
      ended = false;
    },
    end() {
      ended = true;
      wake();
    },
    /** @param wait ends early when its signal aborts */
    async until(wait: (over: AbortSignal) => Promise<void>): Promise<void> {
      if (ended) return;
      const over = new AbortController();
      wake = () => over.abort();
      await wait(over.signal);
    },
    rest: (forMs: number) =>
      new Promise<void>((resolve) => {
        if (ended) return resolve();
        // Unreferenced, so that a stopping process does not wait for it.
        const timer = setTimeout(resolve, forMs).unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

interface Signed {
  secret: Buffer;
  at: Date;
  signal: AbortSignal;
}

async function deliver(
  { number, ref, callbackUrl, repeats }: DueCallback,
  refName: string,
  signed: Signed,
): Promise<boolean> {
  const id = changeName(number);
  const message = (name: string) => Buffer.from(JSON.stringify({ id: name, [refName]: ref }));
  const arrived = await post(callbackUrl, message(id), signed);
  if (!arrived || !repeats) return arrived;
  await post(callbackUrl, message(id), signed);
  await post(callbackUrl, message(`${id}-forged`), { ...signed, secret: randomBytes(32) });
  return true;
}

async function post(url: string, raw: Buffer, { secret, at, signal }: Signed): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signMessage(raw, secret, at) },
      body: raw,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await body.dump();
    return statusCode >= 200 && statusCode < 300;
  } catch {
    return false;
  }
}
