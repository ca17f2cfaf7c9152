/** A correct answer that a check reports as a failure. */
export interface Exception {
  /** The check of schemathesis that reports the answer. */
  check: string;
  /** Operations it applies to; all when absent. */
  operations?: RegExp;
  /** The status of the answer. An absent field matches every answer. */
  status?: number;
  code?: string;
  fields?: string[];
  message?: RegExp;
  /** Why the answer is correct. */
  reason: string;
}

/** A 400 for a request that is valid by the document. */
const refused = (
  fields: string[],
  message: RegExp,
  reason: string,
  more: Partial<Exception> = {},
): Exception => ({
  check: 'positive_data_acceptance',
  status: 400,
  code: 'invalid_request',
  fields,
  message,
  reason,
  ...more,
});

/**
 * All known exceptions. An attack accepts no other undocumented answer. Each exception is a rule of the interface that
 * JSON Schema cannot express.
 */
export const EXCEPTIONS: Exception[] = [
  refused(
    ['cursor'],
    /^cursor (is not a valid cursor of this list|must not contain NUL)/,
    'A cursor is opaque.',
  ),
  refused(
    ['currency', 'fromCurrency', 'from', 'to', 'input.currency'],
    /^\w+ (must be a known currency code|must be one of|\w+ is not offered for)/,
    'Currencies are a table; what a method offers is told by the options of the account.',
  ),
  refused(['region'], /must be a country code of GET/, 'The regions are a list of their own.'),
  refused(
    ['amount'],
    /^amount (has more decimals than \w+ allows|is required|must (be|bring|give the destination) from )/,
    'How many decimals and how much depends on the currency and on what the tenant is offered.',
  ),
  refused(
    ['from', 'to'],
    /^(from must not be later than to|to must be (after|at most 366 days after) from)/,
    'A rule of two fields.',
  ),
  refused(
    ['from', 'to', 'at', 'fromDate', 'toDate'],
    /must be a timestamp of the years 0001 to 9999 in UTC/,
    'JSON Schema has no bound for a time, and an offset moves a time into the year 10000.',
  ),
  refused(
    ['returnUrl', 'url', 'explorerUrl', 'rpcUrls[0]', 'rpcUrls[1]', 'rpcUrls[2]'],
    /must (be an https|name a host)/,
    'JSON Schema has no format for an https URL, nor for the name of a host.',
  ),
  refused(
    ['returnUrl', 'url', 'explorerUrl'],
    /must be at most \d+ characters when percent-encoded/,
    'JSON Schema counts characters as they are sent; an encoded one is three or more.',
  ),
  refused(
    ['file'],
    /^(file must not be empty|file must be one of|Either file or fileId)/,
    'A file is judged by its bytes.',
  ),
  {
    check: 'positive_data_acceptance',
    status: 415,
    code: 'unsupported_media_type',
    fields: ['file'],
    reason: 'A file is judged by its bytes.',
  },
  {
    check: 'positive_data_acceptance',
    status: 400,
    code: 'ErrAlreadyExists',
    reason: 'What is taken already depends on what is there.',
  },
  refused(
    [
      ...['firstName', 'lastName', 'email', 'phone', 'phoneCode', 'birthday', 'country', 'town', 'address'],
      ...['postCode', 'gender', 'idType', 'idNo', 'idIssueDate', 'idExpiryDate', 'nationality', 'occupation'],
      ...['annualSalary', 'accountPurpose', 'expectedMonthlyVolume'],
    ],
    /./,
    'The rules of a cardholder (interface.md 2.1) are judged on the whole of a user’s data.',
    { operations: /^(POST \/v1\/users\/\{id\}\/cardholder|\w+ \/v1\/cardholders\/\{id\}(\/\w+)?)$/ },
  ),
  refused(
    ['name', 'iban', 'bic', 'country', 'accountNumber', 'cardToken', 'chain', 'asset', 'address'].map(
      (field) => `destination.${field}`,
    ),
    /^(\w+ is (required|not a field of a \w+ destination)|\w+ must )/,
    'What a destination is made of depends on the method that was quoted.',
    {
      operations:
        /^POST \/v(1\/corporate-banking\/\{companyId\}\/quote|2\/accounts\/\{accountId\}\/payouts)$/,
    },
  ),
  refused(
    ['accountId', 'toAccountId', 'bin', 'cardholderId'],
    /must be (a master account|the user's account|the account of the card|an account in a currency other than|in the account's currency|a cardholder on this BIN)/,
    'Records must belong together.',
  ),
  refused(
    ['asset', 'address', 'chain', 'assets[0].contract', 'gasTopupAmount'],
    /^\S+ (must (not )?be an? (asset of|address of|wallet of|present or former station of)|must start with|is required)/,
    'Assets, addresses and required fields of a network depend on the network.',
    { operations: /^\w+ \/v1\/(networks|gas-station|wallets)\// },
  ),
  refused(
    ['file'],
    /^file is not a field of this request/,
    'schemathesis 4.32 also sends the fields of the form as JSON, whose schema lacks the file.',
    { operations: /^POST \/v1\/cardholders\/\{id\}\/photos$/ },
  ),
  refused(['allocation'], /must be at most 0\.5/, 'JSON Schema has no bound for a decimal string.'),
  refused(['version'], /is not a version of a subject/, 'A version is opaque.'),
  refused(
    ['subject', 'bin', 'chain'],
    /^(It takes |bin must have |chain must start with )/,
    'Which subjects there are depends on the decision.',
    { operations: /^POST \/desk\/v1\/decisions\// },
  ),
  refused(['list'], /must be JSON/, 'An allow-list is JSON within a text, as its signatures cover it.'),
  refused(
    ['input.addresses[0]'],
    /must be an address or a network/,
    'JSON Schema has no format for an address or a network.',
  ),
  refused(
    [''],
    /^(Nothing of such a record is masked|Such a record has no file)/,
    'The kind of the record decides.',
    { operations: /^POST \/desk\/v1\/records\/\{id\}\/(reveal|content)$/ },
  ),
  refused(['txHash'], /is not known to the chain/, 'The nodes of the chain tell which hashes exist.'),
  ...['allow_header_conformance', 'unsupported_method'].map((check) => ({
    check,
    operations: /^GET \/sandbox\/clock$/,
    reason: 'The attack leaves POST out of the document, because the clock would end its own records.',
  })),
  {
    check: 'allow_header_conformance',
    operations:
      /^\w+ \/v1\/(cardholders|users|cards)\/\w+$|^POST \/v2\/accounts\/\{id\}\/(topup|withdraw)\/card$/,
    reason: 'The path is one of a template too, such as /v1/cardholders/{id}, and takes its methods.',
  },
];
