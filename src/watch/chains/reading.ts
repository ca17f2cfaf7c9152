import type { ReadPosition } from '../../chain/holdings/read-position';
import type { Network } from '../../chain/networks/record';
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
  /** Makes the next step of deposits, given by their ids. */
  book: (ids: readonly string[]) => Promise<void>;
}

/**
 * Memory of a process that follows a chain: the deposits and breaks it has told. Without it, a process tells them once
 * more.
 */
export interface Remembered {
  /** Deposits told about the last height, by name, with the revision of their rows. */
  told: ReadonlyMap<string, number>;
  /** When a stall was last written down. Null: the chain goes on. Absent: unknown. */
  shownStill?: Date | null;
}

export const nothingRemembered = (): Remembered => ({ told: new Map() });
