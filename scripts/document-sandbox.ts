import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BANK_SCENARIOS } from '../src/parties/bank/sandbox/scenarios';
import { SCENARIOS } from '../src/parties/card-processor/sandbox/scenarios';
import { REVIEW_SCENARIOS } from '../src/parties/cardholder-review/sandbox/scenarios';
import { CHECKOUT_SCENARIOS } from '../src/parties/checkout/sandbox/scenarios';
import { EXCHANGE_SCENARIOS } from '../src/parties/exchange/sandbox/scenarios';
import { CARD_SCENARIOS } from '../src/parties/external-cards/sandbox/scenarios';
import { PAYING_SCENARIOS } from '../src/parties/sandbox/paying/scenarios';
import { KYC_SCENARIOS } from '../src/people/kyc/sandbox-review';

/** Writes the sandbox's magic values into docs/sandbox.md, between its two marks: `npx tsx scripts/document-sandbox.ts`. */

const DOCUMENT = join(__dirname, '../docs/sandbox.md');
const BEGIN = '<!-- magic values: scripts/document-sandbox.ts -->\n';
const END = '<!-- end of magic values -->';

export function renderMagicValues(): string {
  const rows: [string, string, string][] = [
    ...SCENARIOS.map(({ label, effect }): [string, string, string] => ['`label` of a card', label, effect]),
    ...REVIEW_SCENARIOS.map(({ accountPurpose, effect }): [string, string, string] => [
      "`accountPurpose` of a B2C cardholder's user",
      accountPurpose,
      effect,
    ]),
    ...KYC_SCENARIOS.map(({ idNo, decision }): [string, string, string] => [
      '`idNo` of a user, with `kycReview=auto`',
      idNo,
      `The review of the KYC ends with \`${decision}\`; with any other number with \`completed\`.`,
    ]),
    ...CHECKOUT_SCENARIOS.map(({ amount, effect }): [string, string, string] => [
      '`amount` of a deposit',
      amount,
      effect,
    ]),
    ...PAYING_SCENARIOS.map(({ amount, effect }): [string, string, string] => [
      '`receivedAmount` of a payout, `amount` of an exchange withdrawal',
      amount,
      effect,
    ]),
    ...EXCHANGE_SCENARIOS.map(({ amount, effect }): [string, string, string] => [
      '`amount` of an exchange order, less its fee',
      amount,
      effect,
    ]),
    ...CARD_SCENARIOS.map(({ token, effect }): [string, string, string] => [
      '`paymentMethodToken` of a top-up or withdrawal',
      token,
      effect,
    ]),
    ['`merchant.mcc` of an authorization', '7995', 'Declined with `invalid_merchant`.'],
    ...BANK_SCENARIOS.map(({ amount, effect }): [string, string, string] => [
      '`amount` of `POST /sandbox/iban-credits`',
      amount,
      effect,
    ]),
    [
      '`iban` of `POST /sandbox/iban-credits`',
      'LT000000000000000000',
      'An IBAN that is nobody\u2019s: the money waits in suspense for the operator.',
    ],
  ];
  return [
    '| where | value | what happens |',
    '| --- | --- | --- |',
    ...rows.map(([where, value, effect]) => `| ${where} | \`${value}\` | ${effect} |`),
    '',
  ].join('\n');
}

/** The document with the table as it should be. @throws Error when its marks are gone */
export function withMagicValues(document: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('docs/sandbox.md has lost the marks of its magic values');
  return `${document.slice(0, begin)}${BEGIN}${renderMagicValues()}${document.slice(end)}`;
}

if (require.main === module) writeFileSync(DOCUMENT, withMagicValues(readFileSync(DOCUMENT, 'utf8')));
