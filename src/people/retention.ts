import type { TenantSettings } from '../tenants/clients/settings';

type Retention = Pick<TenantSettings, 'retentionYears'>;

/** The end of the retention of data that has not changed since a time. */
export const retainedUntil = ({ retentionYears }: Retention, changed: Date): Date =>
  yearsFrom(changed, retentionYears);

/** Data that has not changed since that time is kept no longer. */
export const retainedSince = ({ retentionYears }: Retention, now: Date): Date =>
  yearsFrom(now, -retentionYears);

function yearsFrom(time: Date, years: number): Date {
  const moved = new Date(time);
  moved.setUTCFullYear(moved.getUTCFullYear() + years);
  return moved;
}
