import type { CardholderModel } from '../record';
import type { CheckContext, CheckResult } from './check';
import { FIELD_RULES, META_FIELDS, type MetaField, type Need } from './fields';

export { META_FIELDS, type MetaField } from './fields';

/** A user's `meta`: any JSON object, stored as given. */
export type Meta = Readonly<Record<string, unknown>>;

/** The code lists and the day (`YYYY-MM-DD`) that checks need. */
export type CheckEnvironment = Omit<CheckContext, 'meta'>;

/** Values to store, by field: corrected where `interface.md 2.1` corrects silently, else as given. */
export type CorrectedMeta = Partial<Record<MetaField, string>>;

export type MetaResult =
  | { readonly ok: true; readonly corrected: CorrectedMeta }
  /** Each message names its field and never repeats its value, because the value is personal data. */
  | { readonly ok: false; readonly errors: Violations };

export type Violations = readonly [Violation, ...Violation[]];
interface Violation {
  readonly field: MetaField;
  readonly message: string;
}

/** The fields of PATCH /v1/cardholders/{id} (`interface.md 4.3`): all fields of 2.1 except `ipAddress`. */
export const PATCH_FIELDS: readonly MetaField[] = META_FIELDS.filter((field) => field !== 'ipAddress');

/** Characters that Postgres refuses in a text: control characters and lone surrogates. */
const UNSTORABLE = /(?![\t\n\r])\p{Cc}|\p{Cs}/u;

function checkField(field: MetaField, value: unknown, required: boolean, context: CheckContext): CheckResult {
  if (typeof value !== 'string') return { problem: 'must be a string' };
  if (required && value.trim() === '') return { problem: 'is required' };
  if (UNSTORABLE.test(value)) return { problem: 'must not contain control characters' };
  return FIELD_RULES[field].check(value, context);
}

/** Checks every field in the given order. */
function checkFields(
  fields: readonly MetaField[],
  required: (field: MetaField) => boolean,
  context: CheckContext,
): MetaResult {
  const errors: Violation[] = [];
  const corrected: CorrectedMeta = {};
  for (const field of fields) {
    const value = context.meta[field] ?? undefined;
    if (value === undefined && !required(field)) continue;
    const check: CheckResult =
      value === undefined ? { problem: 'is required' } : checkField(field, value, required(field), context);
    if ('problem' in check) errors.push({ field, message: `${field} ${check.problem}` });
    else corrected[field] = check.value;
  }
  return resultOf(errors, corrected);
}

function resultOf([first, ...rest]: Violation[], corrected: CorrectedMeta): MetaResult {
  return first ? { ok: false, errors: [first, ...rest] } : { ok: true, corrected };
}

/**
 * Checks a user's `meta` for a cardholder of a model (`interface.md 2.1`, 4.2). A B2B BIN needs three fields, and the
 * others are not read. An optional field that is null counts as absent.
 * @returns the values of the fields that were read, for `meta` and for a submission; or every violation in the order of
 * 2.1
 */
export function validateMeta(meta: Meta, model: CardholderModel, environment: CheckEnvironment): MetaResult {
  const need = (field: MetaField): Need => FIELD_RULES[field].need;
  const fields = model === 'B2B' ? META_FIELDS.filter((field) => need(field) === 'B2B') : META_FIELDS;
  return checkFields(fields, (field) => need(field) !== 'optional', { ...environment, meta });
}

/**
 * Checks an update of a cardholder's data (`interface.md 4.3`). Checks the given fields first, so that a message names
 * a field that the caller sent. Then checks the resulting data, including rules across fields.
 * @param patch fields of {@link PATCH_FIELDS}; other fields are not read
 * @param meta the linked user's stored `meta`
 * @returns the values of the given fields only, to be written to `meta`
 */
export function validatePatch(
  patch: Meta,
  meta: Meta,
  model: CardholderModel,
  environment: CheckEnvironment,
): MetaResult {
  const present = PATCH_FIELDS.filter((field) => patch[field] !== undefined);
  const merged = { ...meta, ...Object.fromEntries(present.map((field) => [field, patch[field]])) };
  const nulls = present.filter((field) => patch[field] === null);
  const refused = resultOf(
    nulls.map((field) => ({ field, message: `${field} must be a string` })),
    {},
  );
  if (!refused.ok) return refused;
  const required = (field: MetaField): boolean => FIELD_RULES[field].need !== 'optional';
  const fields = checkFields(present, required, { ...environment, meta: merged });
  if (!fields.ok) return fields;
  const whole = validateMeta(merged, model, environment);
  return whole.ok ? fields : whole;
}
