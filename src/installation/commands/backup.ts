import type { Command } from 'commander';
import { type Console, show } from '../../desk/cli/console';
import { type ChainHead, verifyAudit } from '../../kernel/audit/log';
import { databaseTime } from '../../kernel/db/clock';
import { checkDocuments } from '../../people/check-documents';
import { lossByRestore, noteLostCommits } from '../../watch/lost-commits';
import type { InstallationPlace, InstallationSession } from '../session';
import type { CommandContext } from './context';
import { documentsText } from './documents';
import { ledgerProblems } from './ledger';
import { timeArgument } from './time-argument';

/** The result of a backup, for the person who made it. */
export interface BackupMade {
  folder: string;
  /** The moment that a restore reaches at least, ISO 8601. */
  madeAt: string;
  files: number;
  bytes: number;
  /** Null: the documents are in a bucket and not in the backup. */
  documents: number | null;
  /** Ids of the master keys that a restore needs. */
  masterKeys: string[];
}

export interface RestoreWanted {
  from: string;
  until?: Date | undefined;
  /** Folder of the archived WAL. Absent: that of the installation, if it has one. */
  wal?: string | undefined;
}

/** A restored installation, whose database runs until it is closed. */
export interface Restored {
  /** When the copy of the database was complete, ISO 8601. */
  madeAt: string;
  /** A head that the restored audit log must hold. */
  auditHead: ChainHead;
  place: InstallationPlace;
  close(): Promise<void>;
}

/** Backups of the embedded Postgres. Another Postgres is refused, because its own tools back it up. */
export interface BackupPlace {
  backUp(to: string): Promise<BackupMade>;
  /** Puts the files in place and recovers the database. */
  restore(wanted: RestoreWanted): Promise<Restored>;
}

/** @param runOn runs an action on a place, as the context does on that of the environment */
export function addBackupCommands(
  program: Command,
  { console }: CommandContext,
  { backUp, restore }: BackupPlace,
  runOn: (
    place: InstallationPlace,
    action: (session: InstallationSession) => Promise<number>,
  ) => Promise<void>,
): void {
  program
    .command('backup')
    .description('copies the embedded Postgres and the documents while the product runs; keys are not in it')
    .requiredOption('--to <folder>', 'a new or empty folder, on another disk')
    .option('--json', 'print { "folder", "madeAt", "files", "bytes", "documents", "masterKeys" }')
    .action(async ({ to, json }: { to: string; json?: boolean }) => {
      const made = await backUp(to);
      show(console, json, made, madeText(made));
    });
  program
    .command('restore')
    .description('restores a backup into an empty DATA_DIR and proves it; ends with 1 when a proof fails')
    .requiredOption('--from <folder>', 'a folder that "backup" has filled')
    .option(
      '--until <time>',
      'the moment to restore to, such as 2026-01-31T12:00:00Z; default: the latest',
      timeArgument,
    )
    .option('--wal <folder>', 'the archived WAL, for a moment after the backup; default: WAL_FOLDER')
    .option('--json', 'print { "madeAt", "lastPosting", "ledger", "audit", "documents" }')
    .action(async ({ json, ...wanted }: RestoreWanted & { json?: boolean }) => {
      const restored = await restore(wanted);
      try {
        await runOn(restored.place, (session) => proveRestored(console, session, restored, json));
      } finally {
        await restored.close();
      }
    });
}

function madeText({ folder, madeAt, files, bytes, documents, masterKeys }: BackupMade): string {
  const keys = masterKeys.map((id) => `"${id}"`).join(', ');
  return [
    `The backup of ${madeAt} is in ${folder}: ${files} files, ${(bytes / 1024 ** 2).toFixed(1)} MiB.`,
    documents === null
      ? 'The documents are in a bucket, and not in this backup.'
      : `${documents} documents are in it, sealed.`,
    `It holds no key. A restore needs the master key ${keys}, and signing for wallets needs SIGNER_KEYS: keep both apart from it.`,
  ].join('\n');
}

async function proveRestored(
  console: Console,
  { database, storedDocuments }: InstallationSession,
  { madeAt, auditHead }: Restored,
  json: boolean | undefined,
): Promise<number> {
  // Everything after the restored moment is lost, so the product recovers from it at its next start.
  await noteLostCommits(database, await lossByRestore(database), await databaseTime(database));
  const ledger = await ledgerProblems(database);
  const audit = await verifyAudit(database, auditHead.number > 0 ? [auditHead] : []);
  const documents = await checkDocuments(database, await storedDocuments());
  const [last] = await database.query<{ at: Date | null }>('select max(last_at) as at from ledger_accounts');
  const lastPosting = last?.at?.toISOString() ?? null;
  const lines = [
    `The backup of ${madeAt} is restored. The last posting is of ${lastPosting ?? 'no time: there is none'}.`,
    ledger.length === 0
      ? 'The ledger is right.'
      : `The ledger has ${ledger.length} problems: run "installation ledger check".`,
    audit.broken
      ? `The audit log is broken at row ${audit.broken.entryId}: ${audit.broken.why}.`
      : `The audit log is right: ${audit.entries} rows, and it holds the head that the backup noted.`,
    documentsText(documents),
    'Before clients get in: docs/operating.md, "After commits were lost".',
  ];
  show(console, json, { madeAt, lastPosting, ledger, audit, documents }, lines.join('\n'));
  return ledger.length === 0 && !audit.broken && documents.missing.length === 0 ? 0 : 1;
}
