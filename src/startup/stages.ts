import type { Logger } from 'pino';

/** The process was told to stop while it was starting. */
export class StoppedWhileStarting extends Error {
  override name = 'StoppedWhileStarting';
}

type Stop = () => Promise<unknown>;

/** What was started, and is stopped in the opposite order. */
export interface Stages {
  /**
   * @param stop what undoes the stage; when it fails, the others are stopped all the same
   * @throws StoppedWhileStarting when everything is being stopped already: the stage then is stopped, too
   */
  started(name: string, stop: Stop): void;
  /** Stops everything, the last first. May be called again while it stops. */
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
