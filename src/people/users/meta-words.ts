/** The fields of `interface.md 2.1` in words. Lengths are in bytes. A cardholder's creation and update check them. */
export const META_WORDS = {
  firstName: {
    words: 'First name in Latin letters, spaces, hyphens, apostrophes and periods; at most 40.',
    example: 'Ada',
  },
  lastName: { words: 'Last name, by the rules of `firstName`.', example: 'Lovelace' },
  email: {
    words: 'Email address, at most 50; unique per BIN. One-time codes of 3-D Secure go there.',
    example: 'ada@example.com',
  },
  phone: { words: 'Mobile number of `country`: 7 to 15 digits, without `phoneCode`.', example: '7700900123' },
  phoneCode: { words: 'Country calling code: `+` and 1 to 4 digits.', example: '+44' },
  birthday: { words: 'Date of birth, `YYYY-MM-DD`.', example: '1990-12-10' },
  country: { words: 'Country of residence: a code of `GET /v1/cardholders/regions`.', example: 'GB' },
  town: { words: 'A code of `GET /v1/cardholders/cities` with `region` = `country`.', example: 'GB_LONDON' },
  address: {
    words: 'Street and number in ASCII letters, digits, hyphens and spaces; at most 40.',
    example: '12 St James Square',
  },
  postCode: { words: 'Letters and digits, at most 15; spaces are stripped.', example: 'SW1Y4JH' },
  gender: { words: '`M` or `F`.', example: 'F' },
  idType: {
    words: '`PASSPORT`, `DLN`, `HK_HKID` or `GOVERNMENT_ISSUED_ID_CARD`, in any case.',
    example: 'PASSPORT',
  },
  idNo: { words: 'Number of the identity document.', example: '925665416' },
  idIssueDate: { words: 'When the document was issued, `YYYY-MM-DD`.', example: '2020-01-31' },
  idExpiryDate: {
    words: 'When the document expires, `YYYY-MM-DD`; not before `idIssueDate`.',
    example: '2030-01-30',
  },
  nationality: { words: 'A code of `GET /v1/cardholders/regions`.', example: 'GB' },
  occupation: { words: 'A code of `GET /v1/cardholders/occupations`.', example: '2120' },
  annualSalary: { words: 'Range of the yearly salary, free text.', example: '50000-100000 GBP' },
  accountPurpose: { words: 'Purpose of the account, free text.', example: 'Daily expenses' },
  expectedMonthlyVolume: { words: 'Expected spending a month, free text.', example: '1000-2000 GBP' },
  ipAddress: { words: "The user's IP address.", example: '203.0.113.7' },
} as const;
