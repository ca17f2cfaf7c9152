import type { Logger } from 'pino';

/** The process was told to stop while it was starting. */
export class StoppedWhileStarting extends Error {
  override name = 'StoppedWhileStarting';
}

type Stop = () => Promise<unknown>;

/** Started parts, which are stopped in reverse order. */
export interface Stages {
  /**
   * @param stop stops the part; if it fails, the others are still stopped
   * @throws StoppedWhileStarting during a stop, after stopping this part as well
   */
  started(name: string, stop: Stop): void;
  /** Stops everything, last part first. May be called again meanwhile. */
  stop(): Promise<void>;
}

export function createStages(log: Logger): Stages {
  const stages: { name: string; stop: Stop }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (let stage = stages.pop(); stage; stage = stages.pop()) {
      const { name, stop } = stage;
      log.debug({ stage: name }, 'stopping');
      await stop().catch((error: unknown) => log.error({ stage: name, err: error }, 'did not stop'));
    }
  }

  function stop(): Promise<void> {
    stopping = (stopping ?? Promise.resolve()).then(stopAll);
    return stopping;
  }

  return {
    started(name, undo) {
      stages.push({ name, stop: undo });
      if (!stopping) return;
      void stop();
      throw new StoppedWhileStarting();
    },
    stop,
  };
}
