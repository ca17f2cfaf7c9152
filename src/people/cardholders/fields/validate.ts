import type { CardholderModel } from '../record';
import type { CheckContext, CheckResult } from './check';
import { FIELD_RULES, META_FIELDS, type MetaField, type Need } from './fields';

export { META_FIELDS, type MetaField } from './fields';

/** A user's `meta`: any JSON object, stored as given. */
export type Meta = Readonly<Record<string, unknown>>;

/** What checks need beside the data: the code lists, and the day (`YYYY-MM-DD`). */
export type CheckEnvironment = Omit<CheckContext, 'meta'>;

/** Values to store, by field: corrected where 2.1 corrects silently, else as given. */
export type CorrectedMeta = Partial<Record<MetaField, string>>;

export type MetaResult =
  | { readonly ok: true; readonly corrected: CorrectedMeta }
  /** `message` names the field and never repeats its value: it is personal data. */
  | { readonly ok: false; readonly field: MetaField; readonly message: string };

/** The fields that PATCH /v1/cardholders/{id} takes (`interface.md 4.3`): all of 2.1 but `ipAddress`. */
export const PATCH_FIELDS: readonly MetaField[] = META_FIELDS.filter((field) => field !== 'ipAddress');

/**
 * Characters that no field can hold and that Postgres would refuse: controls and halves of surrogate pairs.
 */
const UNSTORABLE = /(?![\t\n\r])\p{Cc}|\p{Cs}/u;

function checkField(field: MetaField, value: unknown, required: boolean, context: CheckContext): CheckResult {
  if (typeof value !== 'string') return { problem: 'must be a string' };
  if (required && value.trim() === '') return { problem: 'is required' };
  if (UNSTORABLE.test(value)) return { problem: 'must not contain control characters' };
  return FIELD_RULES[field].check(value, context);
}

/** Judges the given fields in the order of 2.1, up to the first violation. */
function checkFields(
  fields: readonly MetaField[],
  required: (field: MetaField) => boolean,
  context: CheckContext,
) {
  const corrected: CorrectedMeta = {};
  for (const field of fields) {
    const value = context.meta[field] ?? undefined;
    if (value === undefined && !required(field)) continue;
    const check: CheckResult =
      value === undefined ? { problem: 'is required' } : checkField(field, value, required(field), context);
    if ('problem' in check) return { ok: false, field, message: `${field} ${check.problem}` } as const;
    corrected[field] = check.value;
  }
  return { ok: true, corrected } as const;
}

/**
 * Judges a user's `meta` for a cardholder of the given model (`interface.md 2.1`, 4.2). On a B2B BIN only the
 * three fields it needs are read; whatever else `meta` holds is no concern of it. An optional field that is
 * null is absent.
 *
 * @returns the values of all fields read, to be written back to `meta` and to build a submission from, or the
 *   first violation in the order of 2.1
 */
export function validateMeta(meta: Meta, model: CardholderModel, environment: CheckEnvironment): MetaResult {
  const need = (field: MetaField): Need => FIELD_RULES[field].need;
  const fields = model === 'B2B' ? META_FIELDS.filter((field) => need(field) === 'B2B') : META_FIELDS;
  return checkFields(fields, (field) => need(field) !== 'optional', { ...environment, meta });
}

/**
 * Judges an update of a cardholder's data (`interface.md 4.3`): the fields present first, so that a message
 * names what the caller has just sent, then the data that results from it, rules across fields included.
 *
 * @param patch fields of {@link PATCH_FIELDS}; anything else in it is not read
 * @param meta the linked user's `meta` as it is stored
 * @returns the values of the fields present alone, to be written to `meta`: the rest is kept
 */
export function validatePatch(
  patch: Meta,
  meta: Meta,
  model: CardholderModel,
  environment: CheckEnvironment,
): MetaResult {
  const present = PATCH_FIELDS.filter((field) => patch[field] !== undefined);
  const merged = { ...meta, ...Object.fromEntries(present.map((field) => [field, patch[field]])) };
  for (const field of present) {
    if (patch[field] === null) return { ok: false, field, message: `${field} must be a string` };
  }
  const required = (field: MetaField): boolean => FIELD_RULES[field].need !== 'optional';
  const fields = checkFields(present, required, { ...environment, meta: merged });
  if (!fields.ok) return fields;
  const whole = validateMeta(merged, model, environment);
  return whole.ok ? fields : whole;
}
