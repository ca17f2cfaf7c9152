import { z } from 'zod';
import { invalid } from '../kernel/errors';

/** A field of a PUT that {@link assertAsShown} judges. */
export const shownField = () => z.string().optional().describe('As it is read; nothing else.');

/**
 * What a GET shows and a PUT does not set is taken back as it was read: whoever changes one field sends the rest as it is.
 * @param shown as GET has it now
 * @throws Problem 400 naming the first field that differs
 */
export function assertAsShown<Field extends string>(
  given: Partial<Record<Field, string | undefined>>,
  shown: Partial<Record<Field, string | undefined>>,
  fields: readonly Field[],
): void {
  for (const field of fields)
    if (given[field] !== undefined && given[field] !== shown[field])
      throw invalid(`${field} is not set by this: leave it out, or send it as it is read.`, field);
}
