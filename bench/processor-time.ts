import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in which Linux reports processor time. */
const TICKS = 100;

interface Stat {
  parent: number;
  /** Processor time in milliseconds, including ended children. */
  ms: number;
}

/**
 * Returns the processor time of a process and its descendants in milliseconds. A busy machine disturbs it less than
 * wall time. Linux only.
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
 * Measures the processor time of several processes from now on.
 * @param processes processor time so far by name: {@link processorTime} of each
 * @returns columns of a table: milliseconds per item, given the number of items
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

/** Undefined for a process that has just ended. */
function statOf(pid: string): Stat | undefined {
  try {
    // The program's name, in parentheses, may contain any character.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ms: (ticks * 1000) / TICKS };
  } catch {
    return undefined;
  }
}
