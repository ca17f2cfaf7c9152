import { type LogLevel, type LogMetadata, Runtime, type Logger as TemporalLogger } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Presence } from '../src/kernel/temporal/presence';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** What of the SDK's fields is written down: where it happened and what went wrong, never what was carried. */
const FIELDS = [
  'sdkComponent',
  'taskQueue',
  'workflowType',
  'workflowId',
  'runId',
  'activityType',
  'activityId',
  'attempt',
  'durationMs',
  'error',
] as const;

/**
 * Lines that the SDK writes whenever a worker begins or ends. Queues of activities have no workflows and no Nexus services on purpose.
 */
const USUAL = /^(Worker state changed|No (workflows|Nexus services) registered\b)/;

/** Temporal's own logging, and that of workflows and activities, into ours. */
export function temporalLogger(log: Logger, onAway: Presence['missed'] = async () => false): TemporalLogger {
  function write(level: LogLevel, message: string, meta: LogMetadata = {}): void {
    const told = Object.fromEntries(
      FIELDS.filter((name) => name in meta).map((name) => [name, meta[name] as unknown]),
    );
    const tell = (as: keyof typeof LEVELS) => log[LEVELS[as]](told, message);
    if (USUAL.test(message)) tell('DEBUG');
    // The core writes a line for each call that is repeated, for each queue.
    else if (told['sdkComponent'] === 'core' && level === 'WARN')
      void onAway().then((away) => tell(away ? 'DEBUG' : level));
    else tell(level);
  }
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

let installed = false;

/**
 * Sets up the SDK's native core, once a process: its logs go to ours, and signals are left to `main.ts`, which stops
 * everything in order. A core that runs already is left as it is.
 * @param onAway told where the core repeats calls: where Temporal is away, nothing more is to be told of it
 */
export function installRuntime(log: Logger, onAway?: Presence['missed']): void {
  if (installed || Runtime._instance !== undefined) return;
  installed = true;
  Runtime.install({
    logger: temporalLogger(log, onAway),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
}
