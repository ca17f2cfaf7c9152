import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';

/** The part of a physical backup that Postgres itself must take part in. */

/** Postgres's own account of a backup. */
export interface BaseBackup {
  /** Version of the server, such as `18.4`. */
  version: string;
  /** Identifier of the cluster. A physical copy keeps it. */
  cluster: string;
  timeline: number;
  startLsn: string;
  stopLsn: string;
  /** Names of the first and the last segment of the WAL that the backup needs. */
  startWal: string;
  stopWal: string;
}

/**
 * Keeps the server in backup mode while its files are copied, and keeps the WAL of that time in `pg_wal`. The server serves meanwhile.
 * @param url of a superuser
 * @param copy copies the data folder; its files may change meanwhile
 * @param keep copies the segments of the WAL and stores the text of `backup_label`
 */
export async function inBackupMode(
  url: string,
  copy: () => Promise<void>,
  keep: (backup: BaseBackup, label: string) => Promise<void>,
): Promise<BaseBackup> {
  const client = new Client({ connectionString: url, application_name: 'cardwright backup' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    // The slot ends with the connection. Without it a checkpoint may recycle segments that the backup needs.
    await client.query(
      `select pg_create_physical_replication_slot('cardwright_' || pg_backend_pid(), true, true)`,
    );
    const start = await one<{ lsn: string; wal: string }>(
      client,
      `select lsn::text, pg_walfile_name(lsn) as wal from pg_backup_start('cardwright', true) lsn`,
    );
    await copy();
    const stop = await one<{ lsn: string; wal: string; label: string }>(
      client,
      `select lsn::text, pg_walfile_name(lsn) as wal, labelfile as label from pg_backup_stop(false)`,
    );
    const server = await one<{ version: string; cluster: string }>(
      client,
      `select current_setting('server_version') as version, system_identifier::text as cluster from pg_control_system()`,
    );
    const backup = {
      ...server,
      timeline: Number.parseInt(start.wal.slice(0, 8), 16),
      startLsn: start.lsn,
      stopLsn: stop.lsn,
      startWal: start.wal,
      stopWal: stop.wal,
    };
    await keep(backup, stop.label);
    return backup;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function one<Row>(client: Client, statement: string): Promise<Row> {
  const { rows } = await client.query(statement);
  return rows[0] as Row;
}

/** Folders whose content a restored server makes anew (documentation of Postgres, "Making a Base Backup"). */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
/** Files of the running server, and temporary ones. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|serving\.pid|pg_internal\.init.*|pgsql_tmp.*|.*\.tmp)$/;

export interface DataFolder {
  /** Every folder, outermost first, relative to the data folder. */
  folders: string[];
  /** The files in the order of copying: `pg_control` is the last one. */
  files: string[];
}

/** The folders and files of a data folder that a physical backup copies. */
export async function dataFolder(pgdata: string): Promise<DataFolder> {
  const found: DataFolder = { folders: [], files: [] };
  await walk(pgdata, '', found);
  const control = 'global/pg_control';
  return { ...found, files: [...found.files.filter((file) => file !== control), control] };
}

async function walk(pgdata: string, folder: string, found: DataFolder): Promise<void> {
  const entries = await readdir(join(pgdata, folder), { withFileTypes: true });
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (LEFT_OUT.test(entry.name)) continue;
    if (!entry.isDirectory()) found.files.push(path);
    else {
      found.folders.push(path);
      if (!EMPTIED.has(path)) await walk(pgdata, path, found);
      else if (path === 'pg_wal') found.folders.push('pg_wal/archive_status', 'pg_wal/summaries');
    }
  }
}

/** A segment of the WAL. The names of one timeline sort by their place. */
const SEGMENT = /^[0-9A-F]{24}$/;
const HISTORY = /^[0-9A-F]{8}\.history$/;

/**
 * Names of the files of the WAL in a folder that a recovery from `start` may need, with the histories of timelines.
 * @param end the last segment; absent: all that follow
 */
export async function walFrom(folder: string, start: string, end?: string): Promise<string[]> {
  const names = await readdir(folder);
  // Without the timeline, because a later timeline goes on counting.
  const place = (name: string) => name.slice(8);
  const isWanted = (name: string) =>
    SEGMENT.test(name) && place(name) >= place(start) && (end === undefined || place(name) <= place(end));
  return names.filter((name) => HISTORY.test(name) || isWanted(name)).sort();
}
