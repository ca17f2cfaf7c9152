/** Counts what a run began, and how it ended. */
export interface Tally {
  begin(kind: string): void;
  end(kind: string, outcome: string): void;
  rows(): { kind: string; begun: number; ended: Record<string, number> }[];
}

export function createTally(): Tally {
  const counts = new Map<string, { begun: number; ended: Record<string, number> }>();
  function at(kind: string) {
    const row = counts.get(kind) ?? { begun: 0, ended: {} };
    counts.set(kind, row);
    return row;
  }
  return {
    begin(kind) {
      at(kind).begun += 1;
    },
    end(kind, outcome) {
      const { ended } = at(kind);
      ended[outcome] = (ended[outcome] ?? 0) + 1;
    },
    rows: () =>
      [...counts].map(([kind, row]) => ({ kind, ...row })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}

/** Counts a piece of work with its outcome. A piece that throws stays begun. */
export async function counted<T>(
  tally: Tally,
  kind: string,
  work: () => Promise<T>,
  outcome: (result: T) => string,
): Promise<T> {
  tally.begin(kind);
  const result = await work();
  tally.end(kind, outcome(result));
  return result;
}
