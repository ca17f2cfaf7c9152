import { appendFileSync, readFileSync } from 'node:fs';
import { testPostgres } from './global-setup';

/** Stops the run's Postgres. With TEST_TIMES it writes the processor time of the server's processes there. */
export default async function teardown(): Promise<void> {
  const postgres = testPostgres();
  const times = process.env['TEST_TIMES'];
  if (times && postgres) {
    const processor = processorMs(postgres.pid());
    const line = {
      file: 'shared Postgres',
      phases: { tests: { wall: 0, processor, children: 0 } },
      waited: {},
    };
    appendFileSync(times, `${JSON.stringify(line)}\n`);
  }
  await postgres?.stop();
}

/** Returns the processor time of a process and its ended children (Linux only). */
function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
  } catch {
    return 0;
  }
}
