import type { Reference } from '../../reference/reference';

/** What the check of a field may use beside its value. */
export interface CheckContext {
  /** The whole of the data, for checks that compare fields; its values may be of any type. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly reference: Pick<Reference, 'isRegion' | 'isCityOf' | 'isOccupation'>;
  /** The day of the check, `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * The value to store, or what is wrong with it, in words that follow the field's name and never repeat the
 * value.
 */
export type CheckResult = { readonly value: string } | { readonly problem: string };

/** Checks one field of a user's `meta`, and corrects it where `interface.md 2.1` says so. */
export type FieldCheck = (value: string, context: CheckContext) => CheckResult;
