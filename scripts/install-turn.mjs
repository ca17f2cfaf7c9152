import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Lets one process at a time install the packages of a folder. Each process writes a ticket first and then looks for
// others. So at least one of two sees the other, removes its own ticket and waits. A ticket names its process by id and
// start time. The ticket of a dead process counts for nothing, and any process may remove it.

const TICKET = /^\.installing-(\d+)-(\w+)$/;
/** Milliseconds between two looks: the minimum. The maximum is twice as long. */
const LOOK_EVERY_MS = 100;

const own = new Set();
process.once('exit', leave);

/** Resolves when no other process installs in the folder. The turn lasts until this process calls `leave` or ends. */
export async function takeTurn(folder) {
  for (let looks = 1; ; looks += 1) {
    enter(folder, process.pid);
    const other = others(folder)[0];
    if (other === undefined) return;
    leave();
    if (looks === 2) console.log(`Process ${other} is installing the packages; waiting until it has ended`);
    await sleep(LOOK_EVERY_MS * (1 + Math.random())); // random, so that two processes do not collide again
  }
}

/** Writes a ticket for this process, or for a child that may outlive it. */
export function enter(folder, pid) {
  const startedAt = startOf(pid);
  if (startedAt === undefined) return;
  const ticket = join(folder, `.installing-${pid}-${startedAt}`);
  own.add(ticket);
  writeFileSync(ticket, '');
}

export function leave() {
  for (const ticket of own) rmSync(ticket, { force: true });
  own.clear();
}

/** Returns the ids of other living processes with a ticket. */
function others(folder) {
  const found = [];
  for (const name of readdirSync(folder)) {
    const [, pid, startedAt] = TICKET.exec(name) ?? [];
    if (pid === undefined || own.has(join(folder, name))) continue;
    if (startOf(Number(pid)) === startedAt) found.push(Number(pid));
    else rmSync(join(folder, name), { force: true });
  }
  return found;
}

/**
 * Returns the start time of a process as letters and digits. Undefined when no process has the id (a zombie counts as
 * none).
 */
function startOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return undefined; // the process lives, under another user
  }
  if (process.platform === 'win32') return '0';
  const [state, startedAt] = process.platform === 'linux' ? linuxStart(pid) : listedStart(pid);
  return state === undefined || /^[ZX]/.test(state) ? undefined : startedAt;
}

/** proc_pid_stat(5): the name is in parentheses and may hold spaces; state is field 3, start time field 22. */
function linuxStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [fields[0], fields[19]];
  } catch {
    return []; // it has just ended
  }
}

function listedStart(pid) {
  try {
    const listed = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    const [state, ...startedAt] = listed.split(/\s+/);
    return [state, startedAt.join('').replace(/\W/g, '')];
  } catch {
    return []; // it has just ended
  }
}
