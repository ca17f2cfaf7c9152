type State = 'idle' | 'busy' | 'busy_asked_again';

const TRANSITIONS: Record<State, { asked: State; ended: State }> = {
  idle: { asked: 'busy', ended: 'idle' },
  busy: { asked: 'busy_asked_again', ended: 'idle' },
  busy_asked_again: { asked: 'busy_asked_again', ended: 'busy' },
};

/** Work in rounds, one at a time. */
export interface Rounds {
  /**
   * Requests a round that begins after this call. Requests during a round share the next one, which sees all of their
   * changes.
   */
  ask(): void;
  /** Whether a round is under way. */
  busy(): boolean;
}

/** @param round one round; must not throw */
export function createRounds(round: () => Promise<void>): Rounds {
  let state: State = 'idle';

  async function run(): Promise<void> {
    while (state !== 'idle') {
      await round();
      state = TRANSITIONS[state].ended;
    }
  }

  return {
    ask() {
      const before = state;
      state = TRANSITIONS[state].asked;
      if (before === 'idle') void run();
    },
    busy: () => state !== 'idle',
  };
}
