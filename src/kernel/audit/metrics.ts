import { table } from '../db/build';
import { sample } from '../metrics/definitions';
import type { Reading } from '../metrics/readings';

/** Heads that wait to be told. Without a witness none is noted. The index `audit_heads_untold` serves it. */
export const untoldHeadsReading: Reading = {
  name: 'audit_heads',
  gauges: ['audit_heads_untold'],
  async read(sql) {
    const [row] = await sql.run<{ count: string }>(
      table('audit_heads').whereNull('toldAt').count('* as count'),
    );
    return [sample('audit_heads_untold', {}, Number(row?.count ?? 0))];
  },
};
