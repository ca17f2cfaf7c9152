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

/**
 * The first SIGINT or SIGTERM stops the process in order, a second one at once: what is embedded lives on then, and the
 * next start takes it over.
 */
export function createSignalHandler({ stop, say, exit, now }: SignalDeps): () => void {
  let first: number | undefined;
  return () => {
    if (first === undefined) {
      first = now();
      say('Stopping; once more to end at once');
      stop().then(
        () => exit(0),
        () => exit(1),
      );
    } else if (now() - first > SAME_MS) exit(130);
  };
}
