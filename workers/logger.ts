import {
  type LogLevel,
  type LogMetadata,
  type MetricsExporterConfig,
  Runtime,
  type Logger as TemporalLogger,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Presence } from '../src/kernel/temporal/presence';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** The SDK's fields that are logged: the place and the error, never arguments or results. */
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
 * Lines that the SDK writes whenever a worker starts or stops. They are logged at debug level. Activity queues have no
 * workflows and no Nexus services on purpose.
 */
const USUAL = /^(Worker state changed|No (workflows|Nexus services) registered\b)/;

/**
 * Writes the log of the SDK, of workflows and of activities to the product's log.
 * @param onAway see {@link installRuntime}
 */
export function temporalLogger(log: Logger, onAway: Presence['missed'] = async () => false): TemporalLogger {
  function write(level: LogLevel, message: string, meta: LogMetadata = {}): void {
    const told = Object.fromEntries(
      FIELDS.filter((name) => name in meta).map((name) => [name, meta[name] as unknown]),
    );
    const tell = (as: keyof typeof LEVELS) => log[LEVELS[as]](told, message);
    if (USUAL.test(message)) tell('DEBUG');
    // During an outage the core warns on each retry of each queue. One warning by the presence check is enough.
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
 * Sets up the SDK's native core once a process. The core's log goes to the product's log. The core handles no process
 * signals, because `main.ts` stops everything in order. A core that runs already stays as it is.
 * @param onAway called when the core warns of a retry. If it resolves to true, Temporal is away and the warning becomes
 * debug
 * @param metricsPort port of this machine's loopback where the core serves its metrics. Default: none
 * @returns whether the core serves metrics at that port
 */
export function installRuntime(log: Logger, onAway?: Presence['missed'], metricsPort?: number): boolean {
  if (installed || Runtime._instance !== undefined) return false;
  installed = true;
  const install = (metrics?: MetricsExporterConfig) =>
    Runtime.install({
      logger: temporalLogger(log, onAway),
      shutdownSignals: [],
      telemetryOptions: {
        logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
        ...(metrics ? { metrics } : {}),
      },
    });
  if (metricsPort !== undefined) {
    try {
      install(metricsAt(metricsPort));
      return true;
    } catch (error) {
      log.warn({ error }, 'the metrics of the Temporal SDK are missing, because their port was taken');
    }
  }
  install();
  return false;
}

/** Names and units as Prometheus has them. */
const metricsAt = (port: number): MetricsExporterConfig => ({
  prometheus: {
    bindAddress: `127.0.0.1:${port}`,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
  },
});
