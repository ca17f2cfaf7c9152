import fc from 'fast-check';
import { valuesOf } from './values';

const draw = (schema: object, extent: 'required' | 'all' = 'all', samples: Record<string, unknown> = {}) =>
  fc.sample(valuesOf(schema, extent, samples), { seed: 20_260_131, numRuns: 200 });

const AMOUNT = '^\\d{1,15}(\\.\\d{1,18})?$';
const FREE_TEXT = '^[^\\u0000-\\u001f\\u007f]*$';

it('draws texts that keep every rule', () => {
  const texts = draw({ type: 'string', pattern: FREE_TEXT, minLength: 1, maxLength: 5 }) as string[];
  expect(new Set(texts).size).toBeGreaterThan(50);
  expect(
    texts.filter((text) => text.length < 1 || text.length > 5 || !new RegExp(FREE_TEXT).test(text)),
  ).toEqual([]);
  const amounts = draw({ type: 'string', pattern: AMOUNT }) as string[];
  expect(amounts.filter((text) => !new RegExp(AMOUNT).test(text))).toEqual([]);
  const times = draw({ type: 'string', format: 'date-time' }) as string[];
  expect(times.filter((text) => new Date(text).toISOString() !== text)).toEqual([]);
});

it('draws numbers within bounds, and listed values', () => {
  expect(new Set(draw({ type: 'integer', minimum: 3, maximum: 5 }))).toEqual(new Set([3, 4, 5]));
  expect(new Set(draw({ type: 'string', enum: ['a', 'b'] }))).toEqual(new Set(['a', 'b']));
});

it('fills required or all fields of an object, with samples for fields that a schema cannot describe', () => {
  const inner = { type: 'object', properties: { currency: { type: 'string' } } };
  const schema = {
    type: 'object',
    properties: { amount: { type: 'string' }, note: { type: 'string' }, inner },
    required: ['amount'],
  };
  const samples = { amount: '1.00', currency: 'USD' };
  expect(draw(schema, 'required', samples)[0]).toEqual({ amount: '1.00' });
  expect(draw(schema, 'all', samples)[0]).toEqual({
    amount: '1.00',
    note: expect.any(String),
    inner: { currency: 'USD' },
  });
});

it('refuses a schema with an unknown keyword', () => {
  expect(() => draw({ type: 'string', multipleOf: 2 })).toThrow('multipleOf');
  expect(() => draw({ type: 'array' })).toThrow('array');
});
