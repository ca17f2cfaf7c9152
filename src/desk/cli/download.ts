import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { conflict, invalid } from '../../kernel/errors';
import type { DeskClient } from './client';
import { type Console, show } from './console';

interface DownloadOptions {
  out: string;
  reason: string;
}

/** Makes the command that writes the file of a record: `kyc document ID --out FILE --reason TEXT`. */
export function addDownload(
  command: Command,
  { title }: { title: string },
  { console, client, json }: { console: Console; client: DeskClient; json: boolean },
): void {
  command
    .argument('<id>')
    .description(title)
    .requiredOption('--out <file>', 'a file that is not there yet')
    .requiredOption('--reason <text>', 'why you need it: kept in the audit log')
    .option('--json', 'print { "id", "file" }')
    .action(async (id: string, { out, reason }: DownloadOptions) => {
      const content = await client.file(`/records/${encodeURIComponent(id)}/content`, { reason });
      await written(out, content);
      show(console, json, { id, file: out }, `${id} is in ${out}.`);
    });
}

/**
 * Writes a file that only the present user can read. @throws Problem 409 when the file exists, 400 when it cannot be
 * written
 */
async function written(file: string, content: Buffer): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST')
      throw conflict('invalid_transition', `${file} is there already.`, 'out');
    throw invalid(`${file} cannot be written.`, 'out');
  }
}
