import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { becomesReady, hasAnnounced, spawnDetached } from './detached';
import { type EmbeddedLog, lastLines } from './log-file';
import { endProcess, type ProcessIdentity, stillRuns } from './process-identity';
import { ownIdentity, readState, refuseOtherKeeper, writeState } from './state-file';
import { supervise } from './supervise';

/** A server as a process that outlives us: taken over from who was killed, started again when it dies, ended when we end. */

const START_ATTEMPTS = 3;
const KILL_STEP = ['SIGKILL', 5_000] as const;

export interface ServerOptions {
  /** DATA_DIR: holds `<file>.json` (ports, process), `<file>.log` and `<file>.serving`, which the server writes once it has its ports. */
  dataDir: string;
  executable: string;
  log: EmbeddedLog;
}

export interface ServerKind<Ports> {
  /** As a sentence has it: "the local chain". */
  name: string;
  /** The stem of its files. */
  file: string;
  readyMs: number;
  /** What it is given to end by itself. */
  endMs: number;
  /** All that it sees of the environment, beside PATH, HOME and TZ. */
  environment?: Record<string, string>;
  /** Another wish needs another start: one that was left running with other arguments is ended. */
  args: readonly string[];
  /** @param known of the last run */
  wantedPorts(known: Partial<Ports>): Ports;
  /** As wanted, but for those that are taken. */
  freePorts(wanted: Ports): Promise<Ports>;
  /** The arguments that are of one start only: its ports, and by which it writes that file, if not as its output. */
  argsOfStart(ports: Ports, servingPath: string): Promise<string[]>;
  announcesByOutput?: boolean;
  /** Whether what is at its ports answers as it would. */
  answers(ports: Ports): Promise<boolean>;
  /** Called when it serves, before anybody uses it. @returns whether it has to be started anew for what was done */
  complete?(ports: Ports): Promise<boolean>;
}

export interface KeptServer<Ports> {
  ports: Ports;
  /** Its process id now. */
  pid(): number;
  /** Ends it. @param last done before that, when nobody starts it again any more */
  stop(last?: () => Promise<void>): Promise<void>;
}

/** What is written down of it, beside its ports. */
interface Process {
  server?: ProcessIdentity;
  /** What the running server was started with, without what was of that start only. */
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

/** @throws Error when it does not start, or another process keeps it */
export async function keepServer<Ports extends object>(
  kind: ServerKind<Ports>,
  options: ServerOptions,
): Promise<KeptServer<Ports>> {
  const setup = setupOf(kind, options);
  const before = await claim(setup);
  const name = asHeading(kind.name);
  const leftBehind = await takeOver(setup, before);
  if (leftBehind) options.log.info(`${name} was still running and is taken over`);
  let server = leftBehind ?? (await launch(setup, { mayMove: true }));
  const restart = async () => {
    server = await launch(setup, { mayMove: false });
  };
  if (await kind.complete?.(setup.ports)) {
    await end(setup, server);
    await restart();
  }
  const watch = supervise(name, { lives: () => stillRuns(server), restart }, options.log);
  return {
    ports: setup.ports,
    pid: () => server.pid,
    async stop(last) {
      await watch.end();
      await last?.();
      await end(setup, server);
      await writeState(setup.statePath, setup.ports);
    },
  };
}

const asHeading = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Where the ports and the process of a server are written down. */
export const statePathOf = (dataDir: string, file: string): string => join(resolve(dataDir), `${file}.json`);

function setupOf<Ports>(kind: ServerKind<Ports>, options: ServerOptions): Setup<Ports> {
  const dataDir = resolve(options.dataDir);
  const [logPath, servingPath] = [join(dataDir, `${kind.file}.log`), join(dataDir, `${kind.file}.serving`)];
  const paths = { dataDir, statePath: statePathOf(dataDir, kind.file), logPath, servingPath };
  return { ...kind, ...paths, executable: options.executable, ports: kind.wantedPorts({}) };
}

/** Makes this process the keeper. @returns what is known of the last run */
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

/** The server of the last run as it is when it serves and was started as we would; else it is ended. */
async function takeOver<Ports>(
  setup: Setup<Ports>,
  { server, args }: Process,
): Promise<ProcessIdentity | undefined> {
  if (!server || !(await stillRuns(server))) return undefined;
  if (JSON.stringify(args) === JSON.stringify(setup.args) && (await isServing(setup))) return server;
  await end(setup, server);
  return undefined;
}

/** @param options `mayMove`: whether other ports may be taken when the known ones are busy */
async function launch<Ports>(
  setup: Setup<Ports>,
  { mayMove }: { mayMove: boolean },
): Promise<ProcessIdentity> {
  for (let attempt = 1; ; attempt += 1) {
    if (mayMove) setup.ports = await setup.freePorts(setup.ports);
    const server = await spawnServer(setup);
    if (await becomesReady(server, () => isServing(setup), setup.readyMs)) return server;
    await end(setup, server);
    if (attempt === START_ATTEMPTS)
      throw new Error(`${asHeading(setup.name)} does not start:\n${await lastLines(setup.logPath)}`);
  }
}

/** Written down at once, so that it is found whenever we are killed. */
async function spawnServer<Ports>(setup: Setup<Ports>): Promise<ProcessIdentity> {
  const { args, ports, servingPath } = setup;
  const ofStart = await setup.argsOfStart(ports, servingPath);
  const server = await spawnDetached({ ...setup, args: [...args, ...ofStart], announcedAt: servingPath });
  await note(setup, { server, args });
  return server;
}

/** What answers at its ports may be another's. */
const isServing = async <Ports>({ servingPath, ports, answers }: Setup<Ports>): Promise<boolean> =>
  (await hasAnnounced(servingPath)) && answers(ports);

const end = <Ports>({ endMs }: Setup<Ports>, server: ProcessIdentity): Promise<void> =>
  endProcess(server, [['SIGTERM', endMs], KILL_STEP]);
