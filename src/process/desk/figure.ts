import type { Permission } from './permissions';

interface Common {
  /** `payouts`. Unique in the installation. */
  name: string;
  title: string;
  /** `payouts`, `seconds`, `EUR`. */
  unit: string;
  /** Default: `view`. */
  permission?: Permission;
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
