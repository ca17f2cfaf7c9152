import { createLogger } from '../../src/kernel/logging';
import { temporalLogger } from '../../workers/logger';

function lines(onAway?: () => Promise<boolean>) {
  const told: string[] = [];
  const log = createLogger({
    level: 'debug',
    destination: {
      write(line) {
        const { level, msg } = JSON.parse(line) as { level: string; msg: string };
        told.push(`${level}: ${msg}`);
      },
    },
  });
  return { told, sdk: temporalLogger(log, onAway) };
}

it('logs the start of a worker at debug level', () => {
  const { told, sdk } = lines();
  sdk.info('Worker state changed', { sdkComponent: 'worker' });
  sdk.warn('No workflows registered, not polling for workflow tasks', { sdkComponent: 'worker' });
  sdk.info('No Nexus services registered, not polling for Nexus tasks', { sdkComponent: 'worker' });
  sdk.warn('Activity failed', { sdkComponent: 'worker' });
  expect(told.map((line) => line.split(':')[0])).toEqual(['debug', 'debug', 'debug', 'warn']);
});

it('logs retried calls at debug level while Temporal is away, else as warnings', async () => {
  let away = true;
  const { told, sdk } = lines(async () => away);
  sdk.warn('gRPC call poll_activity_task_queue retried 5 times', { sdkComponent: 'core' });
  await new Promise((resolve) => setImmediate(resolve));
  away = false;
  sdk.warn('gRPC call poll_activity_task_queue retried 5 times', { sdkComponent: 'core' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(told.map((line) => line.split(':')[0])).toEqual(['debug', 'warn']);
});
