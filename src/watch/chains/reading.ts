import type { ReadPosition } from '../../chain/holdings/read-position';
import type { Network } from '../../chain/networks/record';
import type { SignValue } from '../../kernel/db/lookout';
import type { Block, ChainNode } from '../../parties/chain/port';

/**
 * Result of a step. `ended`: the network is disabled. `rests`: there is no newer block. `back`: the position moved back
 * after a reorganisation.
 */
export type ChainStep = 'ended' | 'begun' | 'rests' | 'read' | 'back';

/** The state of a chain at the beginning of a step. */
export interface Reading {
  network: Network;
  node: ChainNode;
  place: ReadPosition;
  head: Block;
  remembered: Remembered;
  /** The values of the signs of writes and of new deposits before the step. */
  written: SignValue;
  /** Makes the next step of deposits, given by their ids. */
  book: (ids: readonly string[]) => Promise<void>;
}

/**
 * Memory of a process that follows a chain: the deposits and breaks it has told. Without it, a process tells them once
 * more.
 */
export interface Remembered {
  /** Deposits told about a height, by name. */
  told: ReadonlyMap<string, Told>;
  /** The step before has found nothing to do. */
  rested?: Rested | undefined;
  /** Height that decides the deposits of a network whose finality is a tag, as the last reading has learned it. */
  decided?: number;
  /** The newest block. Absent before the first step, and on a chain that makes blocks only for transactions. */
  newest?: Block | undefined;
  /** The addresses of the pool. */
  pool?: KnownPool;
  /** The search for unlisted tokens that is under way. */
  round?: UnlistedRound | undefined;
  /** When a stall was last written down. Null: the chain goes on. Absent: unknown. */
  shownStill?: Date | null;
}

/** The pool of a chain as a process knows it. Wallets are never deleted. */
interface KnownPool {
  /** In lower case. */
  addresses: Set<string>;
  /** Number of the wallet that was added last. */
  last: number;
}

/** A search for unlisted tokens in a range of blocks. */
export interface UnlistedRound {
  from: number;
  to: number;
  /** Addresses of the pool that are still to be asked for. */
  left: string[][];
}

/** A step that found no new block and no deposit that waits for one. */
interface Rested {
  network: Network;
  node: ChainNode;
  /** Hash of the head. */
  head: string;
  /** The values of the signs of writes and of new deposits before the step. */
  written: SignValue;
  /** Times of the step and of the last note that the chain was read. Milliseconds, monotonic. */
  at: number;
  notedAt: number;
}

/** A deposit whose next step was told. */
interface Told {
  /** Revision of its row then. A step that has changed nothing leaves it. */
  revision: number;
  /** Blocks between this and the next try of the same revision. */
  pause: number;
  /** Height of the next try. */
  again: number;
}

/** Most blocks between two tries of a step that changes nothing. The workflow of the deposit tries at its own times as well. */
const MAX_PAUSE = 64;

/**
 * Chooses the deposits whose step is tried at a height. A step that has changed nothing is tried again after 1, 2, 4 …
 * blocks, so that deposits that always fail do not cost each block.
 * @param decided the deposits whose step is due, with the revisions of their rows
 * @returns `due`: those to try; `told`: what to remember
 */
export function tryAt(height: number, decided: ReadonlyMap<string, number>, before: Remembered['told']) {
  const due: string[] = [];
  const told = new Map<string, Told>();
  for (const [ref, revision] of decided) {
    const last = before.get(ref);
    const isSame = last?.revision === revision;
    if (isSame && height < last.again) told.set(ref, last);
    else {
      const pause = isSame ? Math.min(2 * last.pause, MAX_PAUSE) : 1;
      told.set(ref, { revision, pause, again: height + pause });
      due.push(ref);
    }
  }
  return { due, told };
}

export const nothingRemembered = (): Remembered => ({ told: new Map() });
