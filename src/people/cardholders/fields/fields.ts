import { isIP } from 'node:net';
import type { CheckResult, FieldCheck } from './check';
import { checkName } from './name';
import { checkPhone, checkPhoneCode } from './phone';

/** The BINs that require a field. `B2B`: BINs of both models. `B2C`: BINs of that model only. */
export type Need = 'B2B' | 'B2C' | 'optional';

interface FieldRule {
  readonly need: Need;
  readonly check: FieldCheck;
}

/** In bytes of UTF-8 (`interface.md 8`). */
const MAX_EMAIL_BYTES = 50;
const MAX_ADDRESS_BYTES = 40;
const MAX_POST_CODE = 15;

/** No living person was born earlier, so an earlier birthday is a typing error. */
const EARLIEST_BIRTHDAY = '1900-01-01';

const ID_TYPES = ['PASSPORT', 'DLN', 'HK_HKID', 'GOVERNMENT_ISSUED_ID_CARD'];

/**
 * A dot-atom, an @ and a domain of at least two labels. Letters of any script are accepted, because the contract limits
 * only the length in bytes. Quoted local parts and address literals are refused, because nobody reads mail there.
 */
const EMAIL_ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const EMAIL_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
const EMAIL = new RegExp(
  `^${EMAIL_ATOM}(?:\\.${EMAIL_ATOM})*@(?:${EMAIL_LABEL}\\.)+(?!\\d+$)${EMAIL_LABEL}$`,
  'u',
);

const acceptIf = (condition: boolean, value: string, problem: string): CheckResult =>
  condition ? { value } : { problem };

/** Whether a text is a day of the calendar, written `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // V8 turns 30 February into a day in March, so an existing date is one that comes back unchanged.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const checkDate: FieldCheck = (value) =>
  acceptIf(isDate(value), value, 'must be an existing date written YYYY-MM-DD');

const checkEmail: FieldCheck = (value) => {
  if (Buffer.byteLength(value) > MAX_EMAIL_BYTES) {
    return { problem: `must be at most ${MAX_EMAIL_BYTES} bytes long` };
  }
  return acceptIf(EMAIL.test(value), value, 'must be an email address');
};

const checkBirthday: FieldCheck = (value, context) => {
  const date = checkDate(value, context);
  if ('problem' in date) return date;
  if (value > context.today) return { problem: 'must not be in the future' };
  return acceptIf(value >= EARLIEST_BIRTHDAY, value, `must not be before ${EARLIEST_BIRTHDAY}`);
};

const checkRegion: FieldCheck = (value, { reference }) =>
  acceptIf(reference.isRegion(value), value, 'must be a country code of GET /v1/cardholders/regions');

const checkTown: FieldCheck = (value, { meta, reference }) => {
  const known = typeof meta.country === 'string' && reference.isCityOf(meta.country, value);
  return acceptIf(known, value, 'must be a city code of GET /v1/cardholders/cities for country');
};

const checkAddress: FieldCheck = (value) => {
  if (Buffer.byteLength(value) > MAX_ADDRESS_BYTES) {
    return { problem: `must be at most ${MAX_ADDRESS_BYTES} bytes long` };
  }
  return acceptIf(
    /^[A-Za-z0-9 -]+$/.test(value),
    value,
    'must contain only ASCII letters, digits, hyphens and spaces',
  );
};

const checkPostCode: FieldCheck = (value) => {
  const stripped = value.replaceAll(' ', '');
  if (!/^[A-Za-z0-9]+$/.test(stripped)) return { problem: 'must contain only letters and digits' };
  return acceptIf(
    stripped.length <= MAX_POST_CODE,
    stripped,
    `must be at most ${MAX_POST_CODE} characters long`,
  );
};

const checkIdType: FieldCheck = (value) => {
  const type = value.toUpperCase();
  if (type === 'NATIONAL_ID') {
    return { problem: `does not accept NATIONAL_ID; must be one of ${ID_TYPES.join(', ')}` };
  }
  return acceptIf(ID_TYPES.includes(type), type, `must be one of ${ID_TYPES.join(', ')}`);
};

const checkExpiryDate: FieldCheck = (value, context) => {
  const date = checkDate(value, context);
  const issued = context.meta.idIssueDate;
  if ('problem' in date || typeof issued !== 'string' || !isDate(issued)) return date;
  return acceptIf(value >= issued, value, 'must not be earlier than idIssueDate');
};

const checkOccupation: FieldCheck = (value, { reference }) =>
  acceptIf(
    reference.isOccupation(value),
    value,
    'must be an occupation code of GET /v1/cardholders/occupations',
  );

const acceptText: FieldCheck = (value) => ({ value });

/** The fields of a user's `meta` in the order of `interface.md 2.1`, which is the order of the checks. */
export const FIELD_RULES = {
  firstName: { need: 'B2B', check: checkName },
  lastName: { need: 'B2B', check: checkName },
  email: { need: 'B2B', check: checkEmail },
  phone: { need: 'B2C', check: checkPhone },
  phoneCode: { need: 'B2C', check: checkPhoneCode },
  birthday: { need: 'B2C', check: checkBirthday },
  country: { need: 'B2C', check: checkRegion },
  town: { need: 'B2C', check: checkTown },
  address: { need: 'B2C', check: checkAddress },
  postCode: { need: 'B2C', check: checkPostCode },
  gender: {
    need: 'B2C',
    check: (value) => acceptIf(value === 'M' || value === 'F', value, 'must be M or F'),
  },
  idType: { need: 'B2C', check: checkIdType },
  idNo: { need: 'B2C', check: acceptText },
  idIssueDate: { need: 'B2C', check: checkDate },
  idExpiryDate: { need: 'optional', check: checkExpiryDate },
  nationality: { need: 'B2C', check: checkRegion },
  occupation: { need: 'B2C', check: checkOccupation },
  annualSalary: { need: 'optional', check: acceptText },
  accountPurpose: { need: 'optional', check: acceptText },
  expectedMonthlyVolume: { need: 'optional', check: acceptText },
  ipAddress: {
    need: 'optional',
    check: (value) => acceptIf(isIP(value) !== 0, value, 'must be an IP address'),
  },
} as const satisfies Record<string, FieldRule>;

export type MetaField = keyof typeof FIELD_RULES;

/** All fields of `interface.md 2.1`, in its order. */
export const META_FIELDS = Object.keys(FIELD_RULES) as MetaField[];
