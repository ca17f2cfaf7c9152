import { once } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Terminal } from '../../desk/cli/console';

/** Clears the screen and the lines above it, and puts the cursor into the corner (ECMA-48, xterm). */
const WIPED = '\u001b[H\u001b[2J\u001b[3J';

/** @returns undefined where input or output is no terminal, because a file or a log would keep what is shown */
export function terminalOf(input: ReadStream, output: WriteStream): Terminal | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return {
    async showAlone(text) {
      output.write(`${WIPED}${text}\n\nWrite it down. Then press Enter, which wipes the screen.`);
      input.resume();
      await once(input, 'data');
      input.pause();
      output.write(WIPED);
    },
  };
}
