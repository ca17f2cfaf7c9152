import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Console } from '../../../desk/cli/console';
import { invalid } from '../../../kernel/errors';
import { StartupError } from '../../../kernel/startup-error';

/** One share, or the mnemonic, for the person who takes it. */
export interface Page {
  /** `share-2.txt` */
  file: string;
  text: string;
}

/** Where pages go: a new folder, or the terminal. */
export interface Target {
  /** @returns paths of the files; empty at a terminal */
  write(pages: readonly Page[]): Promise<string[]>;
}

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;

/**
 * Opens the target before anything is decided, so that no approval is used up in vain.
 * @throws Problem 400 naming `to`; StartupError where the output is no terminal, and so may be kept in a log
 */
export async function openTarget(console: Console, to: string | undefined): Promise<Target> {
  if (to !== undefined) return intoFolder(to);
  const { terminal } = console;
  if (!terminal)
    throw new StartupError(
      'The output is no terminal, and a log must not get the seed: sit at a terminal, or give --to FOLDER.',
    );
  return {
    async write(pages) {
      for (const { text } of pages) await terminal.showAlone(text);
      return [];
    },
  };
}

async function intoFolder(folder: string): Promise<Target> {
  await mkdir(folder, { mode: OWNER_ONLY.folder }).catch((error: NodeJS.ErrnoException) => {
    throw invalid(
      error.code === 'EEXIST' ? 'to must be a new folder.' : `to: the folder cannot be made (${error.code}).`,
      'to',
    );
  });
  return {
    async write(pages) {
      const paths: string[] = [];
      for (const { file, text } of pages) {
        const path = join(folder, file);
        await writeFile(path, `${text}\n`, { mode: OWNER_ONLY.file, flag: 'wx' });
        paths.push(path);
      }
      return paths;
    },
  };
}
