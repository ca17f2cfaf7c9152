import { type LogLevel, type LogMetadata, Runtime, type Logger as TemporalLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

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

/** Temporal's own logging, and that of workflows and activities, into ours. */
function temporalLogger(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}) =>
    log[LEVELS[level]](
      Object.fromEntries(FIELDS.filter((name) => name in meta).map((name) => [name, meta[name] as unknown])),
      message,
    );
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
 */
export function installRuntime(log: Logger): void {
  if (installed || Runtime._instance !== undefined) return;
  installed = true;
  Runtime.install({
    logger: temporalLogger(log),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
}
