import type { ReadPlace } from '../../chain/holdings/places';
import type { Network } from '../../chain/networks/record';
import type { Block, ChainNode } from '../../parties/chain/port';

/**
 * What a step has come to. `ended`: nobody wants the chain to be followed. `rests`: there is no newer block. `back`: the chain was
 * reorganised, and is read again from where both agree.
 */
export type ChainStep = 'ended' | 'begun' | 'rests' | 'read' | 'back';

/** The chain as a step finds it. */
export interface Reading {
  network: Network;
  node: ChainNode;
  place: ReadPlace;
  head: Block;
  remembered: Remembered;
}

/**
 * The memory of a process that follows a chain: the deposits and breaks that the process has told. Without this memory the process
 * tells all of them once more.
 */
export interface Remembered {
  /** The deposits that were told of the last height, by name, each with the revision that its row had then. */
  told: ReadonlyMap<string, number>;
  /** When the chain was shown to stand still; null: it goes on; absent: not known. */
  shownStill?: Date | null;
}

export const nothingRemembered = (): Remembered => ({ told: new Map() });
