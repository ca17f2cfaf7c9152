import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { invalid } from '../errors';

/** A read-only field in a PUT, checked by {@link assertAsShown}. */
export const shownField = () => z.string().optional().meta(AS_READ);

/** A read-only object in a PUT. */
export const shownObject = () => z.looseObject({}).optional().meta(AS_READ);

/** A read-only field in a PUT that changes by itself, so that the client's value may be out of date. Not compared. */
export const ignoredField = () =>
  z
    .unknown()
    .optional()
    .meta({ description: 'Read-only. A value in the request is ignored.', readOnly: true });

const AS_READ = {
  description: 'Read-only. Leave it out, or send the value that GET returns.',
  readOnly: true,
};

/**
 * Accepts read-only fields of a PUT when they equal GET's answer, because clients change one field and send the others
 * unchanged.
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
      throw invalid(`${field} is read-only: leave it out, or send the value that GET returns.`, field);
}

/** The value after JSON, which omits undefined fields. */
const asSent = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
