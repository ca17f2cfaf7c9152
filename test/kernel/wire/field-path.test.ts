import { z } from 'zod';
import { invalid, type Problem } from '../../../src/kernel/errors';
import { fieldPath, unstorableField } from '../../../src/kernel/wire/json';
import { firstProblem, withinField } from '../../../src/kernel/wire/schemas';

/** `field` of an error always has the same notation: the path in the JSON body. */

const body = z.strictObject({
  amount: z.string().optional(),
  destination: z
    .strictObject({ iban: z.string(), bank: z.strictObject({ bic: z.string() }).optional() })
    .optional(),
  assets: z.array(z.strictObject({ decimals: z.int() })).optional(),
  rpcUrls: z.array(z.string()).optional(),
  minima: z.record(z.string().max(4), z.string()).optional(),
});

const told = (value: unknown) => {
  const { error } = body.safeParse(value, { reportInput: true });
  return error && firstProblem(error);
};

it.each([
  [{ amount: 1 }, 'amount'],
  [{ colour: 1 }, 'colour'],
  [{ destination: {} }, 'destination.iban'],
  [{ destination: { iban: 'x', swift: 'y' } }, 'destination.swift'],
  [{ destination: { iban: 'x', bank: {} } }, 'destination.bank.bic'],
  [{ assets: [{ decimals: 1 }, { decimals: '1' }] }, 'assets[1].decimals'],
  [{ assets: [{ decimals: 1, colour: 2 }] }, 'assets[0].colour'],
  [{ assets: [7] }, 'assets[0]'],
  [{ rpcUrls: ['x', 7] }, 'rpcUrls[1]'],
  [{ minima: { USDT: 7 } }, 'minima.USDT'],
  [{ minima: { TOO_LONG: '7' } }, 'minima.TOO_LONG'],
])('a schema names what is wrong with %j as %s', (value, field) => {
  expect(told(value)).toMatchObject({ field, message: expect.stringMatching(/^\w/) });
});

it('names every wrong field once, in the order in which the schema refuses them', () => {
  const value = {
    amount: 1,
    destination: { iban: 7, bank: {} },
    assets: [{ decimals: '1' }, { decimals: 1, colour: 2 }],
    colour: 1,
    flavour: 2,
  };
  const problem = told(value);
  expect(problem?.details?.errors?.map(({ field }) => field)).toEqual([
    ...['amount', 'destination.iban', 'destination.bank.bic', 'assets[0].decimals', 'assets[1].colour'],
    ...['colour', 'flavour'],
  ]);
  expect(problem?.details?.errors?.[0]).toEqual({ field: problem?.field, message: problem?.message });
});

it('names no field when the input is not an object', () => {
  expect(told([])?.field).toBeUndefined();
});

it.each([
  [{ name: '\0' }, 'name'],
  [{ merchant: { name: '\0' } }, 'merchant.name'],
  [{ list: ['a', '\ud800'] }, 'list[1]'],
  [{ list: [{ a: 'a' }, { a: '\0' }] }, 'list[1].a'],
  [{ merchant: { '\0': 'a' } }, 'merchant'],
])('names text that cannot be stored by its path: %j is %s', (value, field) => {
  expect(unstorableField(value)).toBe(field);
});

it('prefixes the field of a part’s check with the path of the part', () => {
  const refuse = (problem: Problem) => () =>
    withinField(['destination'], () => {
      throw problem;
    });
  expect(refuse(invalid('iban is wrong.', 'iban'))).toThrow(
    expect.objectContaining({ field: 'destination.iban', message: 'iban is wrong.', status: 400 }),
  );
  expect(refuse(invalid('All is wrong.'))).toThrow(expect.objectContaining({ field: undefined }));
  expect(withinField(['destination'], () => 7)).toBe(7);
});

it('writes list indexes in brackets', () => {
  expect(fieldPath(['a', 0, 1, 'b'])).toBe('a[0][1].b');
});
