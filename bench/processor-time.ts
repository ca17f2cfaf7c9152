import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, as Linux tells processor time to processes. */
const TICKS = 100;

interface Stat {
  parent: number;
  /** Milliseconds of processor, its own and that of children that have ended. */
  ms: number;
}

/**
 * Milliseconds of processor that a process and all below it have used: a busy machine disturbs it less than the time that
 * passes. Linux only.
 */
export function processorTime(pid: number): number {
  const all = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), statOf(name)]),
  );
  const below = (of: number): number => {
    const children = [...all].filter(([, stat]) => stat?.parent === of).map(([child]) => below(child));
    return children.reduce((sum, ms) => sum + ms, all.get(of)?.ms ?? 0);
  };
  return below(pid);
}

/**
 * What several have used from now on.
 * @param processes milliseconds so far, by name: {@link processorTime} of each
 * @returns columns of a table: milliseconds each of so many has taken
 */
export function spentBy(processes: Record<string, () => number>): (count: number) => Record<string, string> {
  const used = () => Object.entries(processes).map(([name, ms]) => [name, ms()] as const);
  const before = new Map(used());
  return (count) =>
    Object.fromEntries(
      used().map(
        ([name, ms]) => [`${name} ms`, ((ms - (before.get(name) ?? 0)) / count).toFixed(1)] as const,
      ),
    );
}

/** Nothing of one that has just ended. */
function statOf(pid: string): Stat | undefined {
  try {
    // The name of the program, in parentheses, may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ms: (ticks * 1000) / TICKS };
  } catch {
    return undefined;
  }
}
