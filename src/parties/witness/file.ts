import { open, readFile } from 'node:fs/promises';
import { type HourlyHead, headOfText, textOfHead } from '../../kernel/audit/heads';
import { PartyAway, PartyRefused } from '../../process/party-errors';
import type { Witness } from './port';

/**
 * Adds a line a head to a file, and never changes a line. The file lies where the database's machine cannot write, or the system
 * allows nobody to change its lines (`chattr +a`).
 */
export function createFileWitness(path: string): Witness {
  return {
    configured: true,
    async tell(head) {
      try {
        await addLine(path, head);
      } catch (error) {
        if (error instanceof PartyRefused) throw error;
        throw new PartyAway(`the file of the audit heads cannot be written: ${(error as Error).message}`);
      }
    },
    async told() {
      const text = await textOf(path);
      if (text === undefined) throw new PartyAway(`there is no file of audit heads at ${path}`);
      return headsIn(text);
    },
  };
}

async function addLine(path: string, head: HourlyHead): Promise<void> {
  const text = (await textOf(path)) ?? '';
  const known = text
    .split('\n')
    .map(headOfText)
    .find((each) => each?.hour === head.hour);
  if (known && textOfHead(known) !== textOfHead(head))
    throw new PartyRefused('other_head', `the file has another head of ${head.hour}`);
  if (known) return;
  const file = await open(path, 'a', 0o600);
  try {
    // A line that a crash has cut off stays apart.
    await file.appendFile(`${text === '' || text.endsWith('\n') ? '' : '\n'}${textOfHead(head)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @returns undefined where there is no file */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PartyAway(`the file of the audit heads cannot be read: ${(error as Error).message}`);
  }
}

/** The heads of a text with a line each. @throws PartyRefused naming the first line that is none */
function headsIn(text: string): HourlyHead[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const head = headOfText(line);
    if (!head) throw new PartyRefused('unreadable', `line ${index + 1} of the told heads is no head`);
    return [head];
  });
}
