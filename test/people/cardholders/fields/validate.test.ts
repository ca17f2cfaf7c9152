import examples from 'libphonenumber-js/examples.mobile.json';
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max';
import {
  META_FIELDS,
  type Meta,
  type MetaField,
  PATCH_FIELDS,
  validatePatch as validatePatched,
  validateMeta as validateWhole,
} from '../../../../src/people/cardholders/fields/validate';
import { createReference } from '../../../../src/people/reference/reference';

const environment = { reference: createReference(), today: '2026-03-15' };

const LONDON = '2643743';
const PARIS = '2988507';

const VALID = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '7400123456',
  phoneCode: '+44',
  birthday: '1990-12-10',
  country: 'GB',
  town: LONDON,
  address: '12 St James Square',
  postCode: 'SW1Y4JH',
  gender: 'F',
  idType: 'PASSPORT',
  idNo: 'AB 123/456',
  idIssueDate: '2020-02-29',
  idExpiryDate: '2030-02-28',
  nationality: 'FR',
  occupation: '2512',
  annualSalary: '50 000 – 75 000 €',
  accountPurpose: 'salary',
  expectedMonthlyVolume: '< 1 000',
  ipAddress: '192.0.2.1',
} satisfies Record<MetaField, string>;

/** A valid meta with some fields replaced; undefined leaves a field out. */
const meta = (changes: Meta = {}): Meta =>
  Object.fromEntries(Object.entries({ ...VALID, ...changes }).filter(([, value]) => value !== undefined));

/** A result by its first violation. */
const firstOf = (result: ReturnType<typeof validateWhole>) =>
  result.ok ? result : { ok: false as const, ...result.errors[0] };
const validateMeta = (...given: Parameters<typeof validateWhole>) => firstOf(validateWhole(...given));
const validatePatch = (...given: Parameters<typeof validatePatched>) => firstOf(validatePatched(...given));
const validate = (changes: Meta = {}) => validateMeta(meta(changes), 'B2C', environment);

/** Cases `[what, field, given, stored]`: accepted, and stored as the fourth value, or as given without one. */
type Accepted = [what: string, field: MetaField, given: string, stored?: string];
/** Cases `[what, field, given, message]`: refused. The message is the field's name and these words. */
type Refused = [what: string, field: MetaField, given: string, message: string];

const bytes = (count: number): string => 'a'.repeat(count);

const LETTERS =
  'must contain only Latin letters, spaces, hyphens, apostrophes and periods ' +
  '(accented Latin and Cyrillic letters are transliterated)';
const TOO_LONG = 'must be at most 40 bytes long';
const RESERVED = 'must not contain TEST, MOCK or SANDBOX';
const NOT_MOBILE = 'must be a mobile number for country';
const NO_DATE = 'must be an existing date written YYYY-MM-DD';
const ID_TYPES = 'PASSPORT, DLN, HK_HKID, GOVERNMENT_ISSUED_ID_CARD';

const nameCases = (field: 'firstName' | 'lastName'): [Accepted[], Refused[]] => [
  [
    ['one letter', field, 'A'],
    ['40 bytes', field, bytes(40)],
    ['every character allowed', field, "J. O'Neil-Smith Jr."],
    ['a space at the end', field, 'Ada '],
    ['accents', field, 'Zoë Brontë', 'Zoe Bronte'],
    ['accents as marks of their own', field, 'Zoe\u0308', 'Zoe'],
    ['20 letters of two bytes', field, 'é'.repeat(20), 'e'.repeat(20)],
    ['10 letters that become 40', field, 'щ'.repeat(10), 'shch'.repeat(10)],
    [
      'letters without decomposition',
      field,
      'Øystein Łukasz Þór Straße Æsa',
      'Oystein Lukasz Thor Strasse Aesa',
    ],
    ['capitals in words of capitals', field, 'ÆSA ЮЛИЯ GROßMANN', 'AESA YULIYA GROSSMANN'],
    ['Ý, which the library gives as U', field, 'Ýmir', 'Ymir'],
    ['a dotted capital I', field, 'İlkay Işık', 'Ilkay Isik'],
    ['Azerbaijani and Kazakh schwas', field, 'Əliyev Әсел', 'Eliyev Asel'],
    ['Cyrillic', field, 'Иван Щербаков', 'Ivan Shcherbakov'],
    ['soft and hard signs vanish', field, 'Ольга Объезд', 'Olga Obezd'],
    ['ґ without its apostrophe', field, 'Ґалаґан', 'Galagan'],
    ['a stress mark on Cyrillic', field, 'Ива\u0301н', 'Ivan'],
    ['a typographic apostrophe', field, 'O’Neil', "O'Neil"],
    ['a Ukrainian apostrophe', field, 'Дарʼя', "Dar'ya"],
    ['nearly reserved', field, 'Tes-t Moc.k Sandbo x'],
  ],
  [
    ['41 bytes', field, bytes(41), TOO_LONG],
    ['21 letters of two bytes', field, 'é'.repeat(21), TOO_LONG],
    ['11 letters that become 44', field, 'щ'.repeat(11), 'must be at most 40 bytes long when transliterated'],
    ['a digit', field, 'Ada2', 'must not contain digits'],
    ['a digit of another script', field, 'Ada٢', 'must not contain digits'],
    ['a Roman numeral as one character', field, 'AdaⅡ', 'must not contain digits'],
    ['emoji', field, 'Ada 🙂', LETTERS],
    ['emoji of two parts', field, 'Ada ❤️', LETTERS],
    ['Greek', field, 'Αδα', LETTERS],
    ['Hebrew', field, 'אדה', LETTERS],
    ['Arabic', field, 'عادة', LETTERS],
    ['Chinese', field, '王', LETTERS],
    ['Japanese', field, 'アダ', LETTERS],
    ['Armenian', field, 'Ադա', LETTERS],
    ['Georgian', field, 'ადა', LETTERS],
    ['a Latin letter among Greek', field, 'AΔa', LETTERS],
    ['a letter with no transliteration', field, 'Adaʌ', LETTERS],
    ['mathematical letters', field, '𝐀da', LETTERS],
    ['an ordinal sign', field, 'Mª', LETTERS],
    ['a comma', field, 'Ada, Lovelace', LETTERS],
    ['an underscore', field, 'Ada_L', LETTERS],
    ['a tab', field, 'Ada\tL', LETTERS],
    ['a no-break space', field, 'Ada\u00a0L', LETTERS],
    ['an en dash', field, 'Ada–L', LETTERS],
    ['a zero-width space', field, 'Ada\u200bL', LETTERS],
    ['an accent on nothing', field, '\u0301Ada', LETTERS],
    ['NUL', field, 'Ada\u0000', 'must not contain control characters'],
    ['half a surrogate pair', field, 'Ada\ud83d', 'must not contain control characters'],
    ['a space first', field, ' Ada', 'must start with a letter'],
    ['a hyphen first', field, '-Ada', 'must start with a letter'],
    ['an apostrophe first', field, "'Ada", 'must start with a letter'],
    ['a period first', field, '.Ada', 'must start with a letter'],
    ['nothing but a sign that vanishes', field, 'ь', 'must start with a letter'],
    ['a vanishing sign before a hyphen', field, 'ь-Ada', 'must start with a letter'],
    ['TEST', field, 'TEST', RESERVED],
    ['test within a word', field, 'Contestini', RESERVED],
    ['Mock', field, 'Hammock', RESERVED],
    ['sandbox in mixed case', field, 'SandBox', RESERVED],
    ['Cyrillic Тест', field, 'Тест', RESERVED],
    ['Cyrillic with a sign between', field, 'Теьст', RESERVED],
    ['accented test', field, 'Tést', RESERVED],
    ['a long s', field, 'teſt', RESERVED],
  ],
];

const [firstNames, notFirstNames] = nameCases('firstName');
const [lastNames, notLastNames] = nameCases('lastName');

const ACCEPTED: Accepted[] = [
  ...firstNames,
  ...lastNames,
  ['50 bytes', 'email', `${bytes(38)}@example.com`],
  ['letters of two bytes, 50 in all', 'email', `${'é'.repeat(19)}@example.com`],
  ['upper case, kept as given', 'email', 'Ada.Lovelace+card@Example.CO.UK'],
  ['a name reserved for names only', 'email', 'test@example.com'],
  ['the trunk prefix of the country', 'phone', '07400123456'],
  ['a number of a territory of the plan', 'phone', '7797712345'],
  ['a missing +', 'phoneCode', '44', '+44'],
  ['today', 'birthday', '2026-03-15'],
  ['the earliest day', 'birthday', '1900-01-01'],
  ['a leap day', 'birthday', '2000-02-29'],
  ['40 bytes', 'address', bytes(40)],
  ['letters, digits, hyphens, spaces', 'address', '12-14 Rue du Four 3A'],
  ['15 characters', 'postCode', '123456789012345'],
  ['spaces, which do not count', 'postCode', ' 1234567 89012345 ', '123456789012345'],
  ['a space within', 'postCode', 'SW1Y 4JH', 'SW1Y4JH'],
  ['M', 'gender', 'M'],
  ['F', 'gender', 'F'],
  ['PASSPORT', 'idType', 'PASSPORT'],
  ['dln', 'idType', 'dln', 'DLN'],
  ['Hk_HkId', 'idType', 'Hk_HkId', 'HK_HKID'],
  ['an id card', 'idType', 'government_issued_id_card', 'GOVERNMENT_ISSUED_ID_CARD'],
  ['punctuation', 'idNo', 'A-1/2.3'],
  ['a leap day', 'idIssueDate', '2024-02-29'],
  ['the day of issue', 'idExpiryDate', '2020-02-29'],
  ['another country', 'nationality', 'BR'],
  ['armed forces', 'occupation', '0110'],
  ['nothing', 'annualSalary', ''],
  ['any text', 'accountPurpose', 'зарплата 🙂\nand rent'],
  ['any text', 'expectedMonthlyVolume', '10.000,00 – 20.000,00'],
  ['IPv6', 'ipAddress', '2001:db8::1'],
];

const REFUSED: Refused[] = [
  ...notFirstNames,
  ...notLastNames,
  ['51 bytes', 'email', `${bytes(39)}@example.com`, 'must be at most 50 bytes long'],
  [
    'letters of two bytes, 52 in all',
    'email',
    `${'é'.repeat(20)}@example.com`,
    'must be at most 50 bytes long',
  ],
  ...[
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'a da@example.com',
    ' ada@example.com',
    'ada@example.com ',
    'ada@@example.com',
    'ada@b@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example..com',
    'ada@example.com.',
    'ada@192.0.2.1',
    'Ada <ada@example.com>',
    'ada@example.com,b@example.com',
    'ada@example.com\nbcc: b@example.com',
  ].map((given): Refused => [JSON.stringify(given), 'email', given, 'must be an email address']),
  ['6 digits', 'phone', '740012', 'must have 7 to 15 digits'],
  ['16 digits', 'phone', '7400123456789012', 'must have 7 to 15 digits'],
  ['a space', 'phone', '7400 123456', 'must contain digits only, without the country code'],
  ['a +', 'phone', '+447400123456', 'must contain digits only, without the country code'],
  ['digits of another script', 'phone', '٧٤٠٠١٢٣٤٥٦', 'must contain digits only, without the country code'],
  ['the country code', 'phone', '447400123456', 'must not include the country code'],
  ['the country code dialled', 'phone', '00447400123456', 'must not include the country code'],
  ['a landline', 'phone', '2079460958', NOT_MOBILE],
  ['a freephone number', 'phone', '8001111111', NOT_MOBILE],
  ['7 digits that are no number', 'phone', '7400123', NOT_MOBILE],
  ['15 digits that are no number', 'phone', '740012345678901', NOT_MOBILE],
  ['no digits', 'phoneCode', '+', 'must be + followed by 1 to 4 digits'],
  ['5 digits', 'phoneCode', '+44123', 'must be + followed by 1 to 4 digits'],
  ['two +', 'phoneCode', '++44', 'must be + followed by 1 to 4 digits'],
  ['letters', 'phoneCode', '+4a', 'must be + followed by 1 to 4 digits'],
  ['a space', 'phoneCode', '+ 44', 'must be + followed by 1 to 4 digits'],
  ['another country', 'phoneCode', '+33', 'must be the calling code of country'],
  ['a dialling prefix', 'phoneCode', '0044', 'must be the calling code of country'],
  ['tomorrow', 'birthday', '2026-03-16', 'must not be in the future'],
  ['before 1900', 'birthday', '1899-12-31', 'must not be before 1900-01-01'],
  ...(['birthday', 'idIssueDate', 'idExpiryDate'] as const).flatMap((field) =>
    ['2023-02-29', '2023-13-01', '2023-00-10', '2023-04-31', '2023-1-2', '20230102', '02-01-2023'].map(
      (given): Refused => [given, field, given, NO_DATE],
    ),
  ),
  ['a time', 'birthday', '1990-12-10T00:00:00Z', NO_DATE],
  ['unknown', 'country', 'ZZ', 'must be a country code of GET /v1/cardholders/regions'],
  ['lower case', 'country', 'gb', 'must be a country code of GET /v1/cardholders/regions'],
  ['a name', 'country', 'United Kingdom', 'must be a country code of GET /v1/cardholders/regions'],
  [
    'a city of another country',
    'town',
    PARIS,
    'must be a city code of GET /v1/cardholders/cities for country',
  ],
  ['free text', 'town', 'London', 'must be a city code of GET /v1/cardholders/cities for country'],
  ['41 bytes', 'address', bytes(41), TOO_LONG],
  ...[...',.#/\'&"’é'].map(
    (char): Refused => [
      char,
      'address',
      `1 Main St${char}`,
      'must contain only ASCII letters, digits, hyphens and spaces',
    ],
  ),
  ['16 characters', 'postCode', '1234567890123456', 'must be at most 15 characters long'],
  ['a hyphen', 'postCode', '12345-678', 'must contain only letters and digits'],
  ['a tab', 'postCode', 'SW1Y\t4JH', 'must contain only letters and digits'],
  ['a letter that is not ASCII', 'postCode', 'É1', 'must contain only letters and digits'],
  ['lower case', 'gender', 'f', 'must be M or F'],
  ['a word', 'gender', 'female', 'must be M or F'],
  ['NATIONAL_ID', 'idType', 'NATIONAL_ID', `does not accept NATIONAL_ID; must be one of ${ID_TYPES}`],
  ['national_id', 'idType', 'national_id', `does not accept NATIONAL_ID; must be one of ${ID_TYPES}`],
  ['unknown', 'idType', 'VISA', `must be one of ${ID_TYPES}`],
  ['blank', 'idNo', '  ', 'is required'],
  ['the day before issue', 'idExpiryDate', '2020-02-28', 'must not be earlier than idIssueDate'],
  ['empty', 'idExpiryDate', '', NO_DATE],
  ['unknown', 'nationality', 'French', 'must be a country code of GET /v1/cardholders/regions'],
  ['unknown', 'occupation', '2515', 'must be an occupation code of GET /v1/cardholders/occupations'],
  [
    'a title',
    'occupation',
    'Software developers',
    'must be an occupation code of GET /v1/cardholders/occupations',
  ],
  ['no address', 'ipAddress', 'localhost', 'must be an IP address'],
  ['NUL', 'accountPurpose', 'a\u0000b', 'must not contain control characters'],
];

describe('validateMeta', () => {
  it('accepts a full meta and returns it', () => {
    expect(validate()).toEqual({ ok: true, corrected: VALID });
  });

  it.each(ACCEPTED)('accepts %s in %s: %j', (_, field, given, stored = given) => {
    expect(validate({ [field]: given })).toEqual({ ok: true, corrected: { ...VALID, [field]: stored } });
  });

  it.each(REFUSED)('refuses %s in %s: %j', (_, field, given, message) => {
    expect(validate({ [field]: given })).toEqual({ ok: false, field, message: `${field} ${message}` });
  });

  it('never repeats a value in a message', () => {
    for (const [, field, given] of REFUSED) {
      const result = validate({ [field]: given });
      // Words of the rules themselves reveal nothing about a person.
      const telling = given.trim().length > 3 && !/national_id|^test$|^sandbox$/i.test(given);
      if (telling && !result.ok) expect(result.message).not.toContain(given);
    }
  });

  it.each(META_FIELDS.flatMap((field) => [1, true, {}, [], ['x']].map((given) => [field, given] as const)))(
    'refuses %s that is no string: %j',
    (field, given) => {
      expect(validate({ [field]: given })).toEqual({
        ok: false,
        field,
        message: `${field} must be a string`,
      });
    },
  );

  const optional: MetaField[] = [
    'idExpiryDate',
    'annualSalary',
    'accountPurpose',
    'expectedMonthlyVolume',
    'ipAddress',
  ];

  it.each(META_FIELDS.filter((field) => !optional.includes(field)))('requires %s', (field) => {
    for (const absent of [undefined, null, '', ' ']) {
      expect(validate({ [field]: absent })).toEqual({ ok: false, field, message: `${field} is required` });
    }
  });

  it.each(optional)('does not require %s', (field) => {
    for (const absent of [undefined, null]) {
      const { [field]: _, ...rest } = VALID;
      expect(validate({ [field]: absent })).toEqual({ ok: true, corrected: rest });
    }
  });

  it('names the first violation in the order of the contract', () => {
    const broken = Object.fromEntries(META_FIELDS.map((field) => [field, 1]));
    for (const [index, field] of META_FIELDS.entries()) {
      const changes = Object.fromEntries(META_FIELDS.slice(index).map((name) => [name, broken[name]]));
      // Without a valid country the phone, which comes first, can only be checked for its digits.
      expect(validate(changes)).toMatchObject({ ok: false, field });
    }
  });

  it('names every violation at once, in the order of the contract', () => {
    const missing = META_FIELDS.filter((field) => !optional.includes(field));
    expect(validateWhole({}, 'B2C', environment)).toEqual({
      ok: false,
      errors: missing.map((field) => ({ field, message: `${field} is required` })),
    });
    expect(validateWhole(meta({ firstName: '7', gender: 'X' }), 'B2C', environment)).toMatchObject({
      ok: false,
      errors: [{ field: 'firstName' }, { field: 'gender', message: 'gender must be M or F' }],
    });
  });

  it('ignores fields that are not in the contract', () => {
    expect(validate({ nickname: 7, __v: {} })).toEqual({ ok: true, corrected: VALID });
  });

  it('does not change the given meta', () => {
    const given = Object.freeze(meta({ firstName: 'Zoë', postCode: 'SW1Y 4JH' }));
    expect(validateMeta(given, 'B2C', environment).ok).toBe(true);
    expect(given.firstName).toBe('Zoë');
  });
});

describe('validateMeta on a B2B BIN', () => {
  const B2B = { firstName: 'Zoë', lastName: 'Brontë', email: 'zoe@example.com' };
  const corrected = { firstName: 'Zoe', lastName: 'Bronte', email: 'zoe@example.com' };

  it('requires three fields', () => {
    expect(validateMeta(B2B, 'B2B', environment)).toEqual({ ok: true, corrected });
  });

  it('reads nothing else', () => {
    const others = { phone: 7, birthday: 'yesterday', country: 'ZZ', idType: 'NATIONAL_ID', address: '#,' };
    expect(validateMeta({ ...B2B, ...others }, 'B2B', environment)).toEqual({ ok: true, corrected });
  });

  it.each(['firstName', 'lastName', 'email'] as const)('requires %s', (field) => {
    const result = validateMeta({ ...B2B, [field]: undefined }, 'B2B', environment);
    expect(result).toEqual({ ok: false, field, message: `${field} is required` });
  });

  it.each([...notFirstNames, ...notLastNames])('refuses %s in %s: %j', (_, field, given, message) => {
    const result = validateMeta({ ...B2B, [field]: given }, 'B2B', environment);
    expect(result).toEqual({ ok: false, field, message: `${field} ${message}` });
  });
});

describe('phone and country', () => {
  /** A valid meta for a country, with its first city and a phone. */
  const from = (country: string, phoneCode: string, phone: string) => {
    const town = environment.reference.cities(country)[0]?.code;
    return validate({ country, town, phoneCode, phone });
  };

  it.each([
    ['US', '+1', '2025550123'],
    ['CA', '+1', '5062345678'],
    ['DO', '+1', '8092345678'],
    ['DO', '+1809', '2345678'],
    ['RU', '+7', '9123456789'],
    ['RU', '+7', '89123456789'],
    ['KZ', '+7', '7710009998'],
    ['FR', '+33', '612345678'],
    ['FR', '33', '0612345678'],
    ['IT', '+39', '3123456789'],
    ['DE', '+49', '15123456789'],
    ['JE', '+44', '7797712345'],
    ['GB', '+44', '7911123456'],
    ['SG', '+65', '81234567'],
  ])('accepts in %s %s %s', (country, phoneCode, phone) => {
    expect(from(country, phoneCode, phone)).toMatchObject({ ok: true, corrected: { phone } });
  });

  it.each([
    ['US', '+1', '5062345678', 'phone'], // of Canada
    ['CA', '+1', '2025550123', 'phone'], // of the United States
    ['RU', '+7', '7710009998', 'phone'], // of Kazakhstan
    ['RU', '+7', '79123456789', 'phone'], // with the country code
    ['US', '+1', '12025550123', 'phone'],
    ['US', '+1', '8002345678', 'phone'], // toll-free
    ['FR', '+33', '123456789', 'phone'], // a landline
    ['DE', '+49', '30123456', 'phone'], // a landline
    ['DE', '+49', '7400123456', 'phone'], // a mobile number, of GB
    ['DO', '+1212', '2345678', 'phone'], // an area of New York
    ['FR', '+44', '612345678', 'phoneCode'],
    ['US', '+1809', '2025550123', 'phone'],
    ['GS', '+500', '51234567', 'phone'], // no numbering plan of its own
  ])('refuses in %s %s %s naming %s', (country, phoneCode, phone, field) => {
    expect(from(country, phoneCode, phone)).toMatchObject({ ok: false, field });
  });

  const reachable = Object.entries(examples).filter(
    ([country]) => environment.reference.cities(country).length > 0,
  );

  it.each(reachable.filter(([, phone]) => phone.length >= 7))(
    'accepts in %s the mobile number that its numbering plan gives as an example',
    (country, phone) => {
      const phoneCode = `+${getCountryCallingCode(country as CountryCode)}`;
      expect(from(country, phoneCode, phone)).toMatchObject({ ok: true, corrected: { phone, phoneCode } });
    },
  );

  it('refuses mobile numbers with fewer than 7 digits, which a few small countries have', () => {
    for (const [country, phone] of reachable.filter(([, digits]) => digits.length < 7)) {
      const phoneCode = getCountryCallingCode(country as CountryCode);
      expect(from(country, phoneCode, phone)).toMatchObject({ message: 'phone must have 7 to 15 digits' });
    }
  });
});

describe('validatePatch', () => {
  const patch = (changes: Meta, stored: Meta = meta(), model: 'B2B' | 'B2C' = 'B2C') =>
    validatePatch(changes, stored, model, environment);

  it('accepts every field of the contract except ipAddress', () => {
    expect(PATCH_FIELDS).toEqual(META_FIELDS.filter((field) => field !== 'ipAddress'));
    expect(patch({ ipAddress: 'not read' })).toEqual({ ok: true, corrected: {} });
  });

  it('returns only the given fields, corrected', () => {
    const stored = meta({ lastName: 'Brontë' });
    expect(patch({ firstName: 'Zoë', phoneCode: '44' }, stored)).toEqual({
      ok: true,
      corrected: { firstName: 'Zoe', phoneCode: '+44' },
    });
  });

  it.each(REFUSED.filter(([, field]) => field !== 'ipAddress'))(
    'refuses %s in %s: %j',
    (_, field, given, message) => {
      expect(patch({ [field]: given })).toEqual({ ok: false, field, message: `${field} ${message}` });
    },
  );

  it.each(PATCH_FIELDS)('refuses null in %s', (field) => {
    expect(patch({ [field]: null })).toEqual({ ok: false, field, message: `${field} must be a string` });
  });

  it.each([
    ['a country that town is not in', { country: 'GG', phoneCode: '+44' }, 'town'],
    ['a country that phone is not of', { country: 'FR' }, 'phone'],
    ['a town of another country', { town: PARIS }, 'town'],
    ['an issue after the expiry', { idIssueDate: '2030-03-01' }, 'idExpiryDate'],
    ['an expiry before the issue', { idExpiryDate: '2020-02-28' }, 'idExpiryDate'],
  ])('judges the data that results: %s', (_, changes, field) => {
    expect(patch(changes)).toMatchObject({ ok: false, field });
  });

  it('accepts fields that fit together', () => {
    const moved = { country: 'FR', town: PARIS, phone: '612345678', phoneCode: '33' };
    expect(patch(moved)).toEqual({ ok: true, corrected: { ...moved, phoneCode: '+33' } });
    expect(patch({ idIssueDate: '2030-03-01', idExpiryDate: '2040-03-01' }).ok).toBe(true);
  });

  it('refuses when the stored rest is invalid, and names the given field first', () => {
    const stored = meta({ firstName: 'Test' });
    expect(patch({ gender: 'M' }, stored)).toMatchObject({ ok: false, field: 'firstName' });
    expect(patch({ gender: 'x' }, stored)).toMatchObject({ ok: false, field: 'gender' });
    expect(patch({ firstName: 'Ada' }, stored).ok).toBe(true);
  });

  it('requires only the three fields on a B2B BIN, and still checks every given field', () => {
    const stored = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
    expect(patch({ email: 'a@example.com' }, stored, 'B2B').ok).toBe(true);
    expect(patch({ address: '#1' }, stored, 'B2B')).toMatchObject({ ok: false, field: 'address' });
    expect(patch({ phone: '7400123456' }, stored, 'B2B').ok).toBe(true);
  });
});
