import { z } from 'zod';
import { Decimal, formatAmounts } from '../../../src/kernel/money/money';
import { instant, money } from '../../../src/kernel/wire/schemas';
import { shown } from '../../../src/kernel/wire/shown';

const schema = z.object({
  id: z.string(),
  note: z.string().optional().describe('Absent when there is none.'),
  last4: z.string().nullable(),
  status: z.enum(['open', 'closed']),
  parts: z.array(z.object({ name: z.string() })),
  amount: money(),
  createdAt: instant(),
  closedAt: instant().optional(),
});

const record = {
  createdAt: new Date('2026-01-31T12:00:00Z'),
  closedAt: null as Date | null,
  tenantId: 'cli_1',
  amount: new Decimal('1.5'),
  parts: [{ name: 'first' }],
  status: 'open' as const,
  last4: null as string | null,
  note: null as string | null,
  id: 'rec_1',
};
const computed = formatAmounts({ amount: record.amount }, 'USD');

it('shows exactly the fields of the schema, in its order', () => {
  expect(JSON.stringify(shown(schema, record, computed))).toBe(
    '{"id":"rec_1","last4":null,"status":"open","parts":[{"name":"first"}],"amount":"1.50","createdAt":"2026-01-31T12:00:00.000Z"}',
  );
});

it('prefers what is computed, even when it is nothing', () => {
  const closed = { ...record, note: 'by hand', closedAt: new Date(0) };
  const wire = shown(schema, closed, { ...computed, status: 'closed', note: undefined });
  expect(wire).toMatchObject({ status: 'closed', closedAt: '1970-01-01T00:00:00.000Z' });
  expect(wire).not.toHaveProperty('note');
});

it('shows a stored value that the schema refuses', () => {
  const wrong = { ...record, status: 'unheard of' as 'open' };
  expect(shown(schema, wrong, computed).status).toBe('unheard of');
});

it('compiles only with every field that the record lacks, and with no other', () => {
  // @ts-expect-error an amount of the record is no text
  shown(schema, record);
  // @ts-expect-error the schema has no such field
  shown(schema, record, { amount: '1.50', tenantId: 'cli_1' });
  // @ts-expect-error an amount on the wire is text
  shown(schema, record, { amount: record.amount });
  const { note: _, ...without } = record;
  // @ts-expect-error an optional field that the record lacks
  shown(schema, without, { amount: '1.50' });
  const parts = [{ name: 'first', secret: 'x' }];
  // @ts-expect-error the record's list has more than the wire shows
  shown(schema, { ...record, parts }, { amount: '1.50' });
  shown(schema, { ...record, amount: '1.50' });
});
