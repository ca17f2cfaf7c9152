import type { Permission } from '../../kernel/permissions';

interface Common {
  /** `payouts`. Unique in the installation. */
  name: string;
  title: string;
  /** `payouts`, `seconds`, `EUR`. */
  unit: string;
  /** Default: `view`. */
  permission?: Permission;
  /** Whether the overview shows it before others. */
  isFirst?: true;
}

/** A value now, one for each combination of labels: `{ status: 'sent' }`. Amounts are decimal text. */
export interface Value {
  labels: Readonly<Record<string, string>>;
  value: number | string;
}

/** A value of a period that begins at `at`. */
export interface Point extends Value {
  at: Date;
}

export interface Gauge extends Common {
  type: 'gauge';
  values(): Promise<Value[]>;
}

export interface Series extends Common {
  type: 'series';
  /** The points of `[from, to)`, one an hour and combination of labels, oldest first. Hours without one are zero. */
  points(from: Date, to: Date): Promise<Point[]>;
}

export type Figure = Gauge | Series;

/** Declares what is measured at this moment. */
export const gauge = (spec: Omit<Gauge, 'type'>): Figure => ({ ...spec, type: 'gauge' });

/** Declares what is counted by the hour. */
export const series = (spec: Omit<Series, 'type'>): Figure => ({ ...spec, type: 'series' });

/** Lets figures that are asked at once share one reading. All values are then of the same moment. */
export function sharing<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= read().finally(() => {
      underWay = undefined;
    }));
}

const HOUR_MS = 3_600_000;
const NEWEST_MS = 30_000;
const hourOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);

/**
 * Keeps the points of ended hours in memory, so that a page that refreshes itself reads the newest rows alone. The last two
 * hours are read again after half a minute, because a transaction may commit after its hour. Pages that ask at once share a
 * reading.
 * @param keptMs how long they are kept, where rows of ended hours still change
 */
export function keepingHours(read: Series['points'], keptMs = Number.POSITIVE_INFINITY): Series['points'] {
  let kept: { from: Date; until: Date; points: Point[]; readAt: number } | undefined;
  let newest: { since: number; to: number; points: Promise<Point[]> } | undefined;

  function readNewest(since: Date, to: Date): Promise<Point[]> {
    const age =
      newest && newest.since === since.getTime() ? to.getTime() - newest.to : Number.POSITIVE_INFINITY;
    if (newest && age >= 0 && age < NEWEST_MS) return newest.points;
    const points = read(since, to);
    newest = { since: since.getTime(), to: to.getTime(), points };
    points.catch(() => (newest = undefined));
    return points;
  }

  return async (from, to) => {
    const first = hourOf(from);
    const ended = new Date(hourOf(to).getTime() - HOUR_MS);
    const usable =
      kept && kept.from <= first && kept.until <= ended && to.getTime() - kept.readAt < keptMs
        ? kept
        : undefined;
    const until = usable?.until ?? first;
    const before = until < ended ? await read(until, ended) : [];
    const points = [...(usable?.points ?? []), ...before].filter(({ at }) => at >= first);
    kept = { from: first, until: ended, points, readAt: usable?.readAt ?? to.getTime() };
    return [...points, ...(await readNewest(ended, to))];
  };
}
