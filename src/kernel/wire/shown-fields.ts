import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { invalid } from '../errors';

/** A field of a PUT that {@link assertAsShown} judges. */
export const shownField = () => z.string().optional().meta(AS_READ);

/** The same of an object. */
export const shownObject = () => z.looseObject({}).optional().meta(AS_READ);

/** A field of a PUT that moves by itself, so that the value of the last GET may be out of date. */
export const ignoredField = () =>
  z.unknown().optional().meta({ description: 'As it is read; it is ignored.', readOnly: true });

const AS_READ = { description: 'As it is read; nothing else.', readOnly: true };

/**
 * A PUT takes read-only fields back as GET shows them, because clients change one field and send the others unchanged.
 * @param shown the present answer of GET
 * @throws Problem 400 naming the first field that differs
 */
export function assertAsShown<Field extends string>(
  given: Partial<Record<Field, unknown>>,
  shown: Partial<Record<Field, unknown>>,
  fields: readonly Field[],
): void {
  for (const field of fields)
    if (given[field] !== undefined && !isDeepStrictEqual(given[field], asSent(shown[field])))
      throw invalid(`${field} is not set by this: leave it out, or send it as it is read.`, field);
}

/** The value as an answer carries it, because JSON omits undefined fields. */
const asSent = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
