import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { conflict, invalid } from '../../kernel/errors';
import type { DeskClient } from './client';
import { type Console, show } from './console';
import { addFields, fieldsOf, type ObjectSchema } from './options';

interface DownloadOptions extends Record<string, unknown> {
  out: string;
  reason: string;
}

/** Makes the command that writes the file of a record: `kyc document ID --out FILE --reason TEXT`. */
export function addDownload(
  command: Command,
  { title, input }: { title: string; input: object },
  { console, client, json }: { console: Console; client: DeskClient; json: boolean },
): void {
  const schema = input as ObjectSchema;
  command.argument('<id>').description(title);
  addFields(command, schema);
  command
    .requiredOption('--out <file>', 'a file that is not there yet')
    .requiredOption('--reason <text>', 'why you need it: kept in the audit log')
    .option('--json', 'print { "id", "file" }')
    .action(async (id: string, { out, reason, ...options }: DownloadOptions) => {
      const content = await client.file(`/records/${encodeURIComponent(id)}/content`, {
        reason,
        input: fieldsOf(schema, options),
      });
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
