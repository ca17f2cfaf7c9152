import { appendFileSync, readFileSync } from 'node:fs';
import { fileOfBlock } from './plan.mjs';

/**
 * Measures the time of a test file by phase. The environment of each worker feeds it with jest's events; `npm run
 * test:times` prints the result.
 *
 * A file has three phases: `loading` (its modules), `hooks` and `tests`. Each phase has its wall time, the processor
 * time of the worker, and the processor time of child processes that ended meanwhile, all in milliseconds. `waited` has
 * the wall time of work that support code reports by `timed`, such as databases and servers.
 */
export function measureFile(ownFile) {
  const files = new Map();
  const open = new Map();
  let file = ownFile;
  let phase = 'loading';
  let last = reading();

  const entry = (name) => {
    if (!files.has(name)) files.set(name, { file: name, group: ownFile, phases: {}, waited: {} });
    return files.get(name);
  };

  function turnTo(nextFile, nextPhase) {
    const now = reading();
    const { phases } = entry(file);
    const sum = phases[phase] ?? { wall: 0, processor: 0, children: 0 };
    for (const key of Object.keys(sum)) sum[key] += now[key] - last[key];
    phases[phase] = sum;
    [file, phase, last] = [nextFile, nextPhase, now];
  }

  return {
    /** @param event an event of jest-circus */
    on(event) {
      const { name } = event;
      const described = fileOfBlock(event.blockName ?? event.describeBlock?.name ?? '');
      if (name === 'start_describe_definition' && described) turnTo(described, 'loading');
      if (name === 'finish_describe_definition' && described) turnTo(ownFile, 'loading');
      if (name === 'run_start') turnTo(file, 'tests');
      if (name === 'run_describe_start' && described) turnTo(described, 'tests');
      if (name === 'run_describe_finish' && described) turnTo(ownFile, 'tests');
      if (name === 'hook_start') turnTo(file, 'hooks');
      if (name === 'hook_success' || name === 'hook_failure') turnTo(file, 'tests');
    },
    /** Measures `work` under the name `what`, for support code. Concurrent calls count once. */
    async timed(what, work) {
      const { waited } = entry(file);
      const now = open.get(what) ?? { count: 0, since: performance.now() };
      open.set(what, { ...now, count: now.count + 1 });
      try {
        return await work();
      } finally {
        const { count, since } = open.get(what);
        if (count > 1) open.set(what, { count: count - 1, since });
        else {
          open.delete(what);
          waited[what] = (waited[what] ?? 0) + performance.now() - since;
        }
      }
    },
    /** Appends a line of JSON for each file. */
    write(path) {
      turnTo(file, phase);
      appendFileSync(path, [...files.values()].map((line) => `${JSON.stringify(line)}\n`).join(''));
    },
  };
}

function reading() {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), processor: (user + system) / 1000, children: childrenMs() };
}

/** Returns the processor time of ended child processes (Linux only). */
function childrenMs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10; // in ticks of a hundredth of a second
  } catch {
    return 0;
  }
}
