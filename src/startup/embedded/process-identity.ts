import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Identity of a process. Process ids are reused, so a stored server is only ours if its id and its start time match.
 */
export interface ProcessIdentity {
  pid: number;
  /** Opaque. Constant during the life of a process, and different for a later process with the same id. */
  startedAt: string;
}

/** The process that has an id now. Undefined for none, or for a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isInteger(pid) || pid <= 0 || !isSignalable(pid)) return undefined;
  if (process.platform === 'linux') return identifyLinux(pid);
  if (process.platform === 'win32') return { pid, startedAt: '' };
  const started = await output('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  return started === '' || started.startsWith('Z')
    ? undefined
    : { pid, startedAt: started.replace(/^\S+\s+/, '') };
}

/** Whether the stored process still runs. */
export async function stillRuns(identity: ProcessIdentity | undefined): Promise<boolean> {
  if (!identity) return false;
  const now = await identify(identity.pid);
  return now !== undefined && now.startedAt === identity.startedAt;
}

/** Command line of a process, empty when it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const raw = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return raw.replaceAll('\0', ' ').trim();
  }
  return process.platform === 'win32' ? '' : output('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
}

const KILL_STEP = ['SIGKILL', 5_000] as const;

/**
 * Sends each signal in turn, and SIGKILL at last, until the process has ended.
 * @param steps signals with the milliseconds that each is given, mildest first
 * @throws Error when the process survives
 */
export async function endProcess(
  identity: ProcessIdentity,
  steps: readonly (readonly [NodeJS.Signals, number])[],
): Promise<void> {
  for (const [signal, patience] of [...steps, KILL_STEP]) {
    const deadline = Date.now() + patience;
    for (let isSent = false; Date.now() < deadline; isSent = true) {
      if (!(await stillRuns(identity))) return;
      if (!isSent) signalQuietly(identity.pid, signal);
      await sleep(20);
    }
  }
  throw new Error(`Process ${identity.pid} does not end; stop it by hand.`);
}

/** EPERM means that the process runs under another user. */
function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** proc_pid_stat(5): the name is in parentheses and may hold spaces. State is field 3, start time is field 22. */
async function identifyLinux(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  if (!startTime || state === 'Z' || state === 'X') return undefined;
  return { pid, startedAt: startTime };
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, (_error, stdout) => resolve(stdout.trim()));
  });
}
