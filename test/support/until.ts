/**
 * Time limit in milliseconds that only a hang reaches: longer than a busy machine needs, shorter than a test may take.
 */
export const HANG_MS = 240_000;
const EVERY_MS = 20;

/** Polls until the condition holds. @throws Error with the condition's text when it never does */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + HANG_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out waiting for: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
