import { chown } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeFolder } from '../../../kernel/folders';
import { StartupError } from '../../../kernel/startup-error';
import type { ServerAccount } from './binaries';

/**
 * Settings that archive each segment of the WAL when it is full, or after a minute. A segment gets its name when it is whole and on
 * disk. A different segment is never replaced: Postgres then keeps its WAL, and its log tells why.
 * @returns no settings without a folder
 */
export async function archiveSettings(
  walFolder: string | undefined,
  { owner }: ServerAccount,
): Promise<Record<string, string>> {
  if (walFolder === undefined) return {};
  const folder = resolve(walFolder);
  await makeFolder('WAL_FOLDER', folder);
  if (owner) await chown(folder, owner.uid, owner.gid);
  const [kept, fresh] = [`"${quoted(folder)}/%f"`, `"${quoted(folder)}/.%f"`];
  return {
    archive_mode: 'on',
    archive_command: `if test -f ${kept}; then cmp -s "%p" ${kept}; else cp "%p" ${fresh} && sync ${fresh} && mv ${fresh} ${kept}; fi`,
    archive_timeout: '60s',
  };
}

/**
 * A path within a command of Postgres. The server's shell reads the command, and Postgres reads `%`.
 * @throws StartupError for a path that the shell would read
 */
export function quoted(path: string): string {
  if (/["$`\\\n]/.test(path))
    throw new StartupError(`${path} has a character that the shell would read: name another folder.`);
  return path.replaceAll('%', '%%');
}
