/** npm passes on the Ctrl-C that the terminal has sent to us already: two so close together are one. */
const SAME_MS = 1_000;

export interface SignalDeps {
  /** Stops everything in order; called once. */
  stop: () => Promise<void>;
  /** Told when the person has to wait. */
  say: (line: string) => void;
  exit: (code: number) => void;
  now: () => number;
}

export interface Signals {
  /**
   * SIGINT, SIGTERM: the first stops the process in order, a later one at once. What is embedded lives on then, and the
   * next start takes it over.
   */
  interrupt: () => void;
  /**
   * SIGHUP, or the end of the npm that runs us: nobody is there any more. It stops the process in order and hurries
   * nothing, for a terminal may be closed while its Ctrl-C is being obeyed.
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
