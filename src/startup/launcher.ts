const LOOK_MS = 250;

export interface Launcher {
  /** The id of the parent process now; another one takes its place when it ends. */
  parent: () => number;
  /** Called once, when the parent has ended. */
  onGone: () => void;
}

/**
 * Watches the npm that runs us: it passes SIGINT and SIGTERM on, but ends at once by SIGHUP and by SIGKILL, and nothing
 * would then be left to stop us by. A parent that had ended before the first look is nobody's wish to stop: npm ends by
 * itself when it announces a script to a closed pipe.
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
