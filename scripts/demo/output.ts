import { readerGone } from '../../src/startup/output';

/** Aborted when the output's reader has gone (`npm run demo | head`). The demo then cleans up and ends. */
export const unread = readerGone();

/** Prints a numbered step. @throws when the output's reader has gone */
export function step(number: number, text: string): void {
  unread.throwIfAborted();
  say(`${String(number).padStart(4)}  ${text}`);
}

/** Prints a detail of the last step. */
export const detail = (text: string): void => say(`      ${text}`);

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
