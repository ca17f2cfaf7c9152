import type { Reference } from '../../reference/reference';

/** The data that a field check may use besides its value. */
export interface CheckContext {
  /** The whole meta, for checks that compare fields. Values may be of any type. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly reference: Pick<Reference, 'isRegion' | 'isCityOf' | 'isOccupation'>;
  /** The day of the check, `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * The value to store, or the problem. A problem completes a sentence that begins with the field's name, and never
 * repeats the value.
 */
export type CheckResult = { readonly value: string } | { readonly problem: string };

/** Checks one field of a user's `meta` and corrects it as `interface.md 2.1` requires. */
export type FieldCheck = (value: string, context: CheckContext) => CheckResult;
