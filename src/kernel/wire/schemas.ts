import { z } from 'zod';
import { type FieldError, invalid, invalidFields, notFound, Problem } from '../errors';
import { isCurrency } from '../money/currencies';
import { DECIMAL_TEXT, Decimal, fitsCurrency } from '../money/money';
import { fieldPath, isStorable } from './json';

/** Schemas that all domains share. {@link firstProblem} puts the field's name before each message. */

/** {@link DECIMAL_TEXT} with at least one digit other than zero. */
const AMOUNT = new RegExp(DECIMAL_TEXT.source.replace('^', '^(?=.*[1-9])'));

/** A positive decimal string without exponent, at most 15 integer digits. Parsed to a Decimal. */
export function amount() {
  return z
    .string({ error: 'must be a decimal string such as "10.00"' })
    .regex(AMOUNT, {
      error: ({ input }) =>
        DECIMAL_TEXT.test(String(input))
          ? 'must be greater than zero'
          : 'must be a positive decimal string with at most 15 integer digits, such as "10.00"',
    })
    .transform((text) => new Decimal(text))
    .meta({
      type: 'string',
      examples: ['100.00'],
      description: 'Decimal string in the currency of the record.',
    });
}

/** A decimal string that may be zero. Parsed to a Decimal. */
export function amountOrZero() {
  return z
    .string({ error: 'must be a decimal string such as "10.00"' })
    .regex(DECIMAL_TEXT, 'must be a decimal string with at most 15 integer digits, such as "10.00"')
    .transform((text) => new Decimal(text))
    .meta({
      type: 'string',
      examples: ['0.00'],
      description: 'Decimal string in the currency of the record.',
    });
}

/** A decimal string that may be zero, kept as text. For settings and for values of parties. */
export const decimalText = () => z.string().regex(DECIMAL_TEXT, 'must be a decimal string such as "10.00"');

/** {@link decimalText} that also accepts a number, as the command line passes it. */
export const typedDecimal = () =>
  z.preprocess((given) => (typeof given === 'number' ? String(given) : given), decimalText());

/** A decimal that the product stored in JSON. Any length, because the value may be exact below the minor unit. */
export const keptDecimal = z.string().transform((text) => new Decimal(text));

/** @throws Problem 400 when the amount has more decimals than its currency */
export function assertFits(value: Decimal, currency: string, field = 'amount'): void {
  if (!fitsCurrency(value, currency))
    throw invalid(`${field} has more decimals than ${currency} allows.`, field);
}

export function currency() {
  return z
    .string()
    .refine(isCurrency, 'must be a known currency code such as "USD"')
    .meta({ examples: ['USD'] });
}

/**
 * An id in a request that needs its record. The shape of an id is not validated: a malformed id is unknown and answered
 * with 404. A list takes {@link idFilter} instead.
 */
export function identifier(example: string) {
  return z
    .string()
    .min(1)
    .max(200)
    .refine(isStorable, { params: { unknownRecord: true } })
    .meta({ examples: [example] });
}

/** Text without control characters. Postgres refuses NUL. */
export function text(max: number) {
  return (
    z
      .string()
      .max(max)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
      .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters')
  );
}

const SHOWABLE = 'must be a timestamp of the years 0001 to 9999 in UTC';

/** Whether an answer can show the time as `date-time` (RFC 3339), whose years have four digits. */
const isShowable = (time: Date): boolean =>
  time >= new Date('0001-01-01T00:00:00Z') && time <= new Date('9999-12-31T23:59:59.999Z');

export function timestamp() {
  return z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as "2026-01-31T12:00:00Z"' })
    .transform((value) => new Date(value))
    .refine(isShowable, SHOWABLE)
    .meta({ type: 'string', format: 'date-time' });
}

/** A timestamp, or a date, which means its midnight in UTC. */
export function moment() {
  const date = z.iso
    .date()
    .transform((day) => new Date(`${day}T00:00:00Z`))
    .refine(isShowable, SHOWABLE);
  return z
    .union([timestamp(), date], {
      error: 'must be an ISO 8601 timestamp or date such as "2026-01-31T12:00:00Z" or "2026-01-31"',
    })
    .meta({
      override: {
        type: 'string',
        anyOf: [{ format: 'date-time' }, { format: 'date' }],
        examples: ['2026-01-31T12:00:00Z', '2026-01-31'],
      },
    });
}

/** An amount in responses: a decimal string with every minor-unit digit. */
export const money = () => z.string().meta({ format: 'decimal', examples: ['100.00'] });
export const instant = () => z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] });

/**
 * Adds the parent's path to the field of a thrown Problem: `iban` in `destination` becomes `destination.iban`.
 * @param parent path of the object whose fields are checked
 */
export function withinField<T>(parent: PropertyKey[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Problem) || error.field === undefined) throw error;
    const { status, code, message, field, retryAfter, details } = error;
    const within = (path: string) => fieldPath([...parent, path]);
    const errors = details?.errors?.map((each) => ({ ...each, field: within(each.field) }));
    throw new Problem(status, code, message, within(field), retryAfter, {
      ...details,
      ...(errors && { errors }),
    });
  }
}

/** The parsed value. @throws Problem 400 naming every wrong field, 404 */
export function parsedBy<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (!parsed.success) throw firstProblem(parsed.error);
  return parsed.data;
}

/**
 * Converts a zod error to a Problem that names every wrong field by its path, the first one as its own. Parse with
 * `reportInput`, because only the input distinguishes a missing field from a wrong one.
 */
export function firstProblem(error: z.ZodError) {
  // Errors of shape take precedence over unknown ids (decisions part 1).
  const ofShape = error.issues.filter((one) => !namesNothing(one));
  const [unknown] = error.issues;
  if (ofShape.length === 0 && unknown) return notFound('record', fieldOf(unknown));
  const [first, ...rest] = oncePerField(ofShape.flatMap(errorsOf));
  if (!first) return invalid('The request is not valid.');
  return first.field === '' ? invalid('The body must be a JSON object.') : invalidFields([first, ...rest]);
}

function errorsOf(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== 'unrecognized_keys')
    return [{ field: fieldOf(issue), message: `${fieldOf(issue)} ${explain(issue)}.` }];
  return issue.keys.map((key) => {
    const field = fieldPath([...issue.path, key]);
    return { field, message: `${field} is not a field of this request.` };
  });
}

/** A schema may refuse a field for several reasons. The first one is told. */
const oncePerField = (errors: readonly FieldError[]): FieldError[] =>
  errors.filter(({ field }, index) => errors.findIndex((each) => each.field === field) === index);

const fieldOf = (issue: z.core.$ZodIssue) => fieldPath(issue.path);

/** An id that no record can have. */
const namesNothing = (issue: z.core.$ZodIssue) =>
  issue.code === 'custom' && issue.params?.['unknownRecord'] === true;

function explain(issue: z.core.$ZodIssue): string {
  if ('input' in issue && issue.input === undefined) return 'is required';
  if (issue.message.startsWith('must')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`;
    default:
      return 'is not valid';
  }
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
