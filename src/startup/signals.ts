/**
 * Signals within this time count as one, because npm passes on the Ctrl-C that the terminal also sends to this process.
 */
const SAME_MS = 1_000;

export interface SignalDeps {
  /** Stops everything in order. Called once. */
  stop: () => Promise<void>;
  /** Called when the person has to wait. */
  say: (line: string) => void;
  exit: (code: number) => void;
  now: () => number;
}

export interface Signals {
  /**
   * SIGINT, SIGTERM: the first stops the process in order, a later one at once. Embedded servers then live on, and the
   * next start takes them over.
   */
  interrupt: () => void;
  /**
   * SIGHUP, or the end of the npm that runs us. Stops the process in order, and never at once, because a terminal may
   * be closed during a stop by Ctrl-C.
   */
  hangUp: () => void;
}

export function createSignals({ stop, say, exit, now }: SignalDeps): Signals {
  let first: number | undefined;
  const begin = (line: string) => {
    first = now();
    say(line);
    stop().then(
      () => exit(0),
      () => exit(1),
    );
  };
  return {
    interrupt() {
      if (first === undefined) begin('Stopping; once more to end at once');
      else if (now() - first > SAME_MS) exit(130);
    },
    hangUp() {
      if (first === undefined) begin('Stopping: the terminal is closed');
    },
  };
}
