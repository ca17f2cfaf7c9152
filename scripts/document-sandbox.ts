import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BANK_SCENARIOS } from '../src/parties/bank/sandbox/scenarios';
import { SCENARIOS } from '../src/parties/card-processor/sandbox/scenarios';
import { REVIEW_SCENARIOS } from '../src/parties/cardholder-review/sandbox/scenarios';
import { CHECKOUT_SCENARIOS } from '../src/parties/checkout/sandbox/scenarios';
import { EXCHANGE_SCENARIOS } from '../src/parties/exchange/sandbox/scenarios';
import { CARD_SCENARIOS } from '../src/parties/external-cards/sandbox/scenarios';
import { MAIL_SCENARIOS } from '../src/parties/mail/sandbox/mailbox';
import { PAYING_SCENARIOS } from '../src/parties/sandbox/paying/scenarios';
import { SCREENING_SCENARIOS } from '../src/parties/screening/sandbox/scenarios';
import { KYC_SCENARIOS } from '../src/people/kyc/sandbox-review';
import { withBlock } from './marked-block';

/** Writes the sandbox's magic values into docs/sandbox.md: `npm run document`. */

const DOCUMENT = join(__dirname, '../docs/sandbox.md');
const BLOCK = {
  file: 'docs/sandbox.md',
  begin: '<!-- magic values: scripts/document-sandbox.ts -->',
  end: '<!-- end of magic values -->',
};

/** Magic values of one request field, each with its effect. */
interface Group {
  title: string;
  field: string;
  values: [value: string, effect: string][];
}

const GROUPS: Group[] = [
  {
    title: 'Cards',
    field: '`label` of a card',
    values: SCENARIOS.map(({ label, effect }) => [label, effect]),
  },
  {
    title: 'Authorizations',
    field: '`merchant.mcc` of an authorization',
    values: [['7995', 'Declined with `invalid_merchant`.']],
  },
  {
    title: 'Cardholders',
    field: "`accountPurpose` of a B2C cardholder's user",
    values: REVIEW_SCENARIOS.map(({ accountPurpose, effect }) => [accountPurpose, effect]),
  },
  {
    title: 'KYC',
    field: '`idNo` of a user, with `kycReview=auto`',
    values: KYC_SCENARIOS.map(({ idNo, decision }) => [
      idNo,
      `The review of the KYC ends with \`${decision}\`; with any other number with \`completed\`.`,
    ]),
  },
  {
    title: 'Mail',
    field: "the part before the `@` of a cardholder's e-mail",
    values: Object.entries(MAIL_SCENARIOS),
  },
  {
    title: 'Deposits',
    field: '`amount` of a deposit',
    values: CHECKOUT_SCENARIOS.map(({ amount, effect }) => [amount, effect]),
  },
  {
    title: 'Payment cards',
    field: '`paymentMethodToken` of a top-up or withdrawal',
    values: CARD_SCENARIOS.map(({ token, effect }) => [token, effect]),
  },
  {
    title: 'Payouts and withdrawals',
    field: '`receivedAmount` of a payout, `amount` of an exchange withdrawal',
    values: PAYING_SCENARIOS.map(({ amount, effect }) => [amount, effect]),
  },
  {
    title: 'Exchange orders',
    field: '`amount` of an exchange order, less its fee',
    values: EXCHANGE_SCENARIOS.map(({ amount, effect }) => [amount, effect]),
  },
  {
    title: 'Screening',
    field: 'the last six digits of the address that pays a wallet, or of a `crypto` destination',
    values: SCREENING_SCENARIOS.map(({ ending, effect }) => [ending, effect]),
  },
  {
    title: 'Bank credits',
    field: '`amount` of `POST /sandbox/iban-credits`',
    values: BANK_SCENARIOS.map(({ amount, effect }) => [amount, effect]),
  },
  {
    title: 'IBANs',
    field: '`iban` of `POST /sandbox/iban-credits`',
    values: [
      [
        'LT000000000000000000',
        'An IBAN that is nobody\u2019s: the money waits in suspense for the operator.',
      ],
    ],
  },
];

function renderMagicValues(): string {
  const groups = GROUPS.map(({ title, field, values }) =>
    [
      ...[`### ${title}`, ''],
      ...[`| ${field} | what happens |`, '| --- | --- |'],
      ...values.map(([value, effect]) => `| \`${value}\` | ${effect} |`),
      '',
    ].join('\n'),
  );
  return `\n${groups.join('\n')}\n`;
}

/** The document with the current magic values. @throws Error when its marks are gone */
export const withMagicValues = (document: string): string => withBlock(document, BLOCK, renderMagicValues());

if (require.main === module) writeFileSync(DOCUMENT, withMagicValues(readFileSync(DOCUMENT, 'utf8')));
