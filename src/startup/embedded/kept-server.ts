import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { becomesReady, type DetachedServer, hasAnnounced, spawnDetached } from './detached';
import { type EmbeddedLog, lastLines } from './log-file';
import { type ProcessIdentity, stillRuns } from './process-identity';
import { ownIdentity, readState, refuseOtherKeeper, writeState } from './state-file';
import { supervise } from './supervise';

/**
 * Keeps a server in a process that outlives this one. It is taken over from a killed process, restarted when it dies,
 * and ended at the end.
 */

const START_ATTEMPTS = 5;
/** Grows with each attempt, because processes of a killed server may still hold its files or its memory. */
const ATTEMPT_PAUSE_MS = 300;

export interface ServerOptions {
  /** DATA_DIR. Holds `<file>.json` (ports, process) and `<file>.log`. */
  dataDir: string;
  executable: string;
  log: EmbeddedLog;
}

/** @template Ports its ports, and a password if it has one. Both are kept between runs. */
export interface ServerKind<Ports> {
  /** Name within a sentence: "the local chain". */
  name: string;
  /** Base name of its files. */
  file: string;
  readyMs: number;
  /** Ends the server, by force at last. */
  end(server: ProcessIdentity): Promise<void>;
  /** Environment of the server, beside PATH, HOME and TZ. */
  environment?: Record<string, string>;
  /** The user and group of the server. Absent: the present ones. */
  account?: DetachedServer['account'];
  /** File that the server writes once it has its ports. Absent: `<file>.serving` in DATA_DIR. */
  servingPath?: string;
  /** Arguments. A server that was left running with other arguments is ended. */
  args: readonly string[];
  /** @param known ports of the last run */
  wantedPorts(known: Partial<Ports>): Ports;
  /** The wanted ports, replacing those that are taken. */
  freePorts(wanted: Ports): Promise<Ports>;
  /** Arguments of one start: its ports and, unless it announces by output, the path of its announcement file. */
  argsOfStart(ports: Ports, servingPath: string): Promise<string[]>;
  announcesByOutput?: boolean;
  /** Whether a server of this kind answers at the ports. */
  answers(ports: Ports): Promise<boolean>;
  /** The running server by its own files. Absent: the stored process counts alone. */
  find?(): Promise<ProcessIdentity | undefined>;
  /** Called before the first start, when this process keeps the server. */
  prepare?(ports: Ports): Promise<void>;
  /** Called before the server is used. @returns whether the server must be restarted */
  complete?(ports: Ports): Promise<boolean>;
}

export interface KeptServer<Ports> {
  ports: Ports;
  /** Present process id of the server. */
  pid(): number;
  /** Ends the server. @param last runs before that, when the server is no longer restarted */
  stop(last?: () => Promise<void>): Promise<void>;
}

/** Stored state of the server, beside its ports. */
interface Process {
  server?: ProcessIdentity;
  /** Arguments of the running server, without those of one start. */
  args?: readonly string[];
  keeper?: ProcessIdentity;
}

interface Setup<Ports> extends ServerKind<Ports> {
  executable: string;
  dataDir: string;
  statePath: string;
  logPath: string;
  servingPath: string;
  ports: Ports;
}

/** @throws Error when the server does not start, or another process keeps it */
export async function keepServer<Ports extends object>(
  kind: ServerKind<Ports>,
  options: ServerOptions,
): Promise<KeptServer<Ports>> {
  const setup = setupOf(kind, options);
  const before = await claim(setup);
  const name = asHeading(kind.name);
  const leftBehind = await takeOver(setup, before);
  if (leftBehind) options.log.info(`${name} was still running and is taken over`);
  else await kind.prepare?.(setup.ports);
  let server = leftBehind ?? (await launch(setup, { mayMove: true }));
  const restart = async () => {
    server = await launch(setup, { mayMove: false });
  };
  const isOutdated = await kind.complete?.(setup.ports).catch(async (error: Error) => {
    await kind.end(server);
    throw error;
  });
  if (isOutdated) {
    await kind.end(server);
    await restart();
  }
  const watch = supervise(name, { lives: () => stillRuns(server), restart }, options.log);
  return {
    ports: setup.ports,
    pid: () => server.pid,
    async stop(last) {
      await watch.end();
      await last?.();
      await kind.end(server);
      await writeState(setup.statePath, setup.ports);
    },
  };
}

const asHeading = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Path of the file with a server's ports and process. */
export const statePathOf = (dataDir: string, file: string): string => join(resolve(dataDir), `${file}.json`);

function setupOf<Ports>(kind: ServerKind<Ports>, options: ServerOptions): Setup<Ports> {
  const dataDir = resolve(options.dataDir);
  const { servingPath = join(dataDir, `${kind.file}.serving`) } = kind;
  const paths = { dataDir, servingPath, statePath: statePathOf(dataDir, kind.file) };
  const logPath = join(dataDir, `${kind.file}.log`);
  return { ...kind, ...paths, logPath, executable: options.executable, ports: kind.wantedPorts({}) };
}

/** Registers this process as the keeper. @returns the stored state of the last run */
async function claim<Ports extends object>(setup: Setup<Ports>): Promise<Process> {
  const { dataDir, statePath } = setup;
  await mkdir(dataDir, { recursive: true });
  const known = await readState<Partial<Ports> & Process>(statePath);
  await refuseOtherKeeper(known?.keeper, dataDir);
  if (known) setup.ports = setup.wantedPorts(known);
  await note(setup, known ?? {});
  return known ?? {};
}

async function note<Ports>({ statePath, ports }: Setup<Ports>, { server, args }: Process): Promise<void> {
  await writeState(statePath, { ...ports, server, args, keeper: await ownIdentity() });
}

/** The server of the last run, if it serves and has the same arguments. Otherwise it is ended. */
async function takeOver<Ports>(
  setup: Setup<Ports>,
  { server: stored, args }: Process,
): Promise<ProcessIdentity | undefined> {
  const server = setup.find ? await setup.find() : stored;
  if (!server || !(await stillRuns(server))) return undefined;
  if (JSON.stringify(args) === JSON.stringify(setup.args) && (await isServing(setup))) return server;
  await setup.end(server);
  return undefined;
}

/** @param options `mayMove`: whether other ports may be chosen when the known ones are taken */
async function launch<Ports>(
  setup: Setup<Ports>,
  { mayMove }: { mayMove: boolean },
): Promise<ProcessIdentity> {
  for (let attempt = 1; ; attempt += 1) {
    if (mayMove) setup.ports = await setup.freePorts(setup.ports);
    const server = await spawnServer(setup);
    if (await becomesReady(server, () => isServing(setup), setup.readyMs)) return server;
    await setup.end(server);
    if (attempt === START_ATTEMPTS)
      throw new Error(`${asHeading(setup.name)} does not start:\n${await lastLines(setup.logPath)}`);
    await sleep(ATTEMPT_PAUSE_MS * attempt);
  }
}

/** Stores the process at once, so that the next start finds it even if this process is killed. */
async function spawnServer<Ports>(setup: Setup<Ports>): Promise<ProcessIdentity> {
  const { args, ports, servingPath } = setup;
  const ofStart = await setup.argsOfStart(ports, servingPath);
  const server = await spawnDetached({ ...setup, args: [...args, ...ofStart], announcedAt: servingPath });
  await note(setup, { server, args });
  return server;
}

/** Checks the announcement as well, because another server may answer at the ports. */
const isServing = async <Ports>({ servingPath, ports, answers }: Setup<Ports>): Promise<boolean> =>
  (await hasAnnounced(servingPath)) && answers(ports);
