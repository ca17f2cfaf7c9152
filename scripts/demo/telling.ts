import { readerGone } from '../../src/startup/output';

/** Aborted when nobody reads any more (`npm run demo | head`): the demo then clears up and ends. */
export const unread = readerGone();

/** A numbered step, as it is told. @throws when nobody reads any more */
export function step(number: number, text: string): void {
  unread.throwIfAborted();
  say(`${String(number).padStart(4)}  ${text}`);
}

/** What belongs to the step before. */
export const detail = (text: string): void => say(`      ${text}`);

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
