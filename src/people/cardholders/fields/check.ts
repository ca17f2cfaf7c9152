import type { Reference } from '../../reference/reference';

/** What a rule may look at beside the value itself. */
export interface RuleContext {
  /** The whole of the data, for rules that compare fields; its values may be of any type. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly reference: Pick<Reference, 'isRegion' | 'isCityOf' | 'isOccupation'>;
  /** The day of the check, `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * The value to store, or what is wrong with it, in words that follow the field's name and never repeat the
 * value.
 */
export type Check = { readonly value: string } | { readonly problem: string };

/** Judges one field of a user's `meta`. */
export type Rule = (value: string, context: RuleContext) => Check;
