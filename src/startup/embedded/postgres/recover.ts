import { spawn } from 'node:child_process';
import { chown, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../../kernel/startup-error';
import { archiveSettings, quoted } from './archive';
import { findPostgresBinaries, type ServerAccount, serverAccount } from './binaries';
import { passwordStatements } from './connection';
import { ENVIRONMENT, spawnAccount } from './data';

export interface Recovery {
  /** A data folder from a backup, with `backup_label`. */
  pgdata: string;
  /** Folder with the segments of the WAL and the histories of timelines. */
  wal: string;
  /** Recovers to this moment. Absent: to the end of the WAL. */
  until?: Date | undefined;
  /** Folder to archive the new timeline to, so that a later restore finds it. */
  walFolder?: string | undefined;
  /** New password of the superuser, because a backup holds none. */
  password: string;
  /** The database to open. */
  database: string;
}

/**
 * Recovers a physical backup and begins a new timeline. Postgres runs alone and listens nowhere, so nobody can connect before the
 * recovery is done and the superuser has a new password.
 * @throws StartupError with the last lines of Postgres, for instance where the WAL ends before `until`
 */
export async function recover({
  pgdata,
  wal,
  until,
  walFolder,
  password,
  database,
}: Recovery): Promise<void> {
  const binaries = await findPostgresBinaries();
  const account = await serverAccount(binaries, pgdata);
  await writeFile(join(pgdata, 'recovery.signal'), '');
  await Promise.all([give(account, pgdata), give(account, wal)]);
  const settings: Record<string, string> = {
    ...(await archiveSettings(walFolder, account)),
    restore_command: `cp "${quoted(wal)}/%f" "%p"`,
    recovery_target_timeline: 'latest',
    hot_standby: 'off', // nobody reads meanwhile, so the limits of the former server need not be met
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'log',
    ...(until && {
      recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00'),
      recovery_target_action: 'promote',
    }),
  };
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const [program = '', ...before] = [...account.prefix, binaries.postgres];
  const input = `${passwordStatements(password).join('\n')}\n`;
  const { code, output } = await run(
    program,
    [...before, '--single', '-D', pgdata, ...args, database],
    account,
    input,
  );
  if (code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(output)) return;
  const lines = output.trim().split('\n').slice(-8).join('\n');
  throw new StartupError(
    /recovery ended before configured recovery target was reached/.test(output)
      ? 'The WAL ends before the time of --until: name an earlier time, or a folder with later WAL in --wal.'
      : `Postgres could not recover the backup:\n${lines}`,
  );
}

/** Postgres accepts only data that belongs to its own account. */
export async function give({ owner }: ServerAccount, folder: string): Promise<void> {
  if (!owner) return;
  const entries = await readdir(folder, { recursive: true });
  for (const path of [folder, ...entries.map((entry) => join(folder, entry))])
    await chown(path, owner.uid, owner.gid);
}

function run(
  program: string,
  args: string[],
  account: ServerAccount,
  input: string,
): Promise<{ code: number | string | null; output: string }> {
  return new Promise((resolve, reject) => {
    const posix = process.platform !== 'win32';
    const child = spawn(program, args, {
      ...spawnAccount(account),
      cwd: '/',
      ...(posix ? { env: { PATH: '/usr/bin:/bin', TZ: 'UTC', ...ENVIRONMENT } } : {}),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-100_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.stdin.on('error', () => undefined); // its end is told by the exit code
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** Removes a folder of a recovery. */
export const forget = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
