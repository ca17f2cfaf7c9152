import { z } from 'zod';
import { firstProblem, moment } from '../../../src/kernel/wire/schemas';

/** Timestamps and dates in requests. */

const query = z.object({ from: moment() });
const read = (from?: string) => {
  const { data, error } = query.safeParse(from === undefined ? {} : { from }, { reportInput: true });
  return error ? firstProblem(error).message : data?.from.toISOString();
};

it.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.123+02:00', '2026-01-31T10:00:00.123Z'],
])('%s is %s', (given, at) => {
  expect(read(given)).toBe(at);
});

it.each([
  '2026-02-30',
  '2026-13-01',
  '2026-1-1',
  '20260131',
  'yesterday',
  '',
  '2026-01-31T12:00:00',
  '2026-01',
])('"%s" is refused with both forms', (given) => {
  expect(read(given)).toBe(
    'from must be an ISO 8601 timestamp or date such as "2026-01-31T12:00:00Z" or "2026-01-31".',
  );
});

it('is required unless it is optional', () => {
  expect(read()).toBe('from is required.');
});
