import { setTimeout as sleep } from 'node:timers/promises';
import { lookoutOf } from '../../kernel/db/lookout';
import { closeBreaksOf, openBreakAgain } from '../../process/breaks/operations';
import { PartyAway } from '../../process/party-errors';
import type { Services } from '../../services';
import { newDepositsOn } from '../../transfers/engine/tables/on-chain';
import { lastLoss } from '../lost-commits';
import { forgetUnreadable, noteUnreadable } from '../store';
import type { Watching } from '../watch';
import { readChain } from './follow-blocks';
import { createPace, type Pace } from './pace';
import { type ChainStep, nothingRemembered } from './reading';

/** Least interval between looks at the head after a step without new blocks. {@link createPace} makes it longer. */
const EVERY_MS = 1_000;
const BEAT_MS = 5_000;
/** Outage of the nodes after which a person is shown a break. */
const PATIENCE_MS = 60_000;

const UNREADABLE = 'chain_unreadable';

/**
 * Follows a chain until the signal ends it. Stateless: a new run continues at the stored position.
 * @returns whether the chain is still to be followed
 */
export async function watchChain(
  services: Services,
  chain: string,
  { signal, beat, everyMs = EVERY_MS, beatMs = BEAT_MS }: Watching,
): Promise<boolean> {
  const pulse = setInterval(beat, beatMs);
  const pace = createPace();
  const turn = createTurn(services, chain, pace);
  const lookout = lookoutOf(services.database);
  const sign = newDepositsOn(chain);
  try {
    while (!signal.aborted) {
      beat();
      // The step reports that Postgres is away.
      const known = await lookout.value(sign).catch(() => undefined);
      const step = await turn();
      if (step === 'ended') return false;
      const mostMs = Math.max(everyMs, pace.waitMs(services.now()));
      if (step === 'read') continue;
      // A deposit that came during the step ends the pause at once.
      if (known === undefined) await sleep(mostMs, undefined, { signal }).catch(() => undefined);
      else await lookout.until(sign, known, { mostMs, signal });
    }
    return true;
  } finally {
    clearInterval(pulse);
    services.observeChainHead(chain, null); // the next watcher reports the head
  }
}

/**
 * Returns a function that takes one step. Retries a chain that cannot be read, and opens a break after a minute of
 * failures.
 */
export function createTurn(
  services: Services,
  chain: string,
  pace: Pace = createPace(),
): () => Promise<ChainStep | 'away'> {
  const { log } = services;
  const subject = `chain:${chain}` as const;
  /** Absent before the first reading of this process. */
  let readable: boolean | undefined;
  let remembered = nothingRemembered();
  let loss: number | undefined;

  return async () => {
    try {
      const lossNow = await lastLoss(services.database);
      if (loss !== undefined && loss !== lossNow) remembered = nothingRemembered();
      loss = lossNow;
      const step = await readChain(services, chain, remembered);
      pace.note(remembered.newest);
      if (!readable) await isRead(services, subject);
      readable = true;
      return step;
    } catch (error) {
      // Catches every error, because a chain must not stop being read in silence.
      if (error instanceof PartyAway)
        log.warn({ chain, error: error.name }, 'the chain cannot be read; it is asked again');
      else log.error({ chain, err: error }, 'the chain cannot be read on; it is tried again');
      readable = false;
      await isNotRead(services, subject);
      return 'away';
    }
  };
}

async function isRead({ database, now }: Services, subject: `chain:${string}`): Promise<void> {
  await database.transaction(async (tx) => {
    await forgetUnreadable(tx, subject);
    await closeBreaksOf(tx, { subject, kinds: [UNREADABLE], at: now() });
  });
}

async function isNotRead(
  { database, now, observeUnreadableList }: Services,
  subject: `chain:${string}`,
): Promise<void> {
  observeUnreadableList(subject);
  const at = now();
  const since = await noteUnreadable(database, subject, at);
  if (at.getTime() - since.getTime() < PATIENCE_MS) return;
  await openBreakAgain(database, { tenantId: null, kind: UNREADABLE, subject, detail: 'blocks' });
}
