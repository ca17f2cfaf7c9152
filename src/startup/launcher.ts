const LOOK_MS = 250;

export interface Launcher {
  /** Present id of the parent process. Changes when the parent ends. */
  parent: () => number;
  /** Called once, after the parent has ended. */
  onGone: () => void;
}

/**
 * Watches the npm that runs this process. npm passes SIGINT and SIGTERM on, but SIGHUP and SIGKILL end npm at once and
 * nothing would stop this process. A parent that ended before the first check is ignored, because npm ends by itself
 * when it announces a script to a closed pipe.
 * @returns ends the watch
 */
export function watchLauncher({ parent, onGone }: Launcher): () => void {
  const launcher = parent();
  const timer = setInterval(() => {
    if (parent() === launcher) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
