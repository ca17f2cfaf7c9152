import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASES, type Case, type Step } from '../test/cards/events/cases';
import { NETWORK_CASES, type NetworkStep } from '../test/cards/events/network-cases';

/** Writes docs/card-events.md: `npm run document`. */

const FILE = join(__dirname, '../docs/card-events.md');

export function renderCases(): string {
  return [
    '# Card events: every rule as a case',
    '',
    '`node scripts/run.mjs scripts/document-cases.ts` prints this page from `test/cards/events/cases.ts`. The tests play each case and fail',
    'when this page differs. Balances of a card are `available pending spent`, and those of an account `available pending`. A',
    'number in parentheses names the step whose reference is given. **Events** lists the webhooks in order, each with its amount',
    'in the currency of the card.',
    '',
    ...CASES.flatMap((one, index) => renderCase(one, one.when.map(describeStep), String(index + 1))),
    '# Messages of a card network',
    '',
    'These cases are from `test/cards/events/network-cases.ts`. The card processor ([parties.md](parties.md#card-processor))',
    'reports messages of the network in any order. The minute after a message is the time when the network sent it. All messages',
    'of a case have one network reference.',
    '',
    ...NETWORK_CASES.flatMap((one, index) =>
      renderCase(one, one.when.map(describeNetworkStep), `N${index + 1}`),
    ),
  ].join('\n');
}

function renderCase(one: Omit<Case, 'when'>, steps: string[], number: string): string[] {
  return [
    `## ${number}. ${one.rule}`,
    '',
    `- **Given** ${describeGiven(one)}`,
    ...steps.map((step, index) => `- **${index + 1}** ${step}`),
    `- **Then** card \`${one.then.card}\`${account('buffer', one.then.buffer)}${account('master', one.then.master)}${account("user's account", one.then.account)}${
      one.then.status ? `, status \`${one.then.status}\`` : ''
    }`,
    `- **Events** ${one.then.told.map((event) => `\`${event}\``).join(', ') || 'none'}`,
    '',
  ];
}

function account(name: string, balance: string | undefined): string {
  return balance === undefined ? '' : `, ${name} \`${balance}\``;
}

function describeGiven({ given }: Pick<Case, 'given'>): string {
  const { fees = {}, more = {}, programme = {} } = given;
  const parts = [
    `card \`${given.card ?? '0'}\``,
    `master \`${given.master ?? '100'}\``,
    given.buffer === undefined ? '' : `buffer \`${given.buffer}\``,
    given.account === undefined ? '' : `user's account \`${given.account}\``,
    ...Object.entries(fees).map(([name, value]) => `fee ${name} \`${value}\``),
    ...Object.entries(programme).map(([name, value]) => `${name} \`${value}\``),
    ...Object.entries(more).map(
      ([name, value]) => `${name} \`${typeof value === 'string' ? value : JSON.stringify(value)}\``,
    ),
  ];
  return parts.filter(Boolean).join(', ');
}

function describeStep(step: Step): string {
  const words = [
    step.type,
    step.amount,
    step.currency,
    step.of === undefined ? undefined : `(${step.of})`,
    step.referenceId === undefined ? undefined : 'of an unknown reference',
    step.final ? 'final' : undefined,
    step.reason,
    step.merchant?.mcc ? `at a merchant of category ${step.merchant.mcc}` : undefined,
    step.merchant?.country ? `at a merchant in ${step.merchant.country}` : undefined,
    step.channel ? `by \`${step.channel}\`` : undefined,
    step.refused ? `→ refused: \`${step.refused}\`` : undefined,
    step.declined ? `→ declined: \`${step.declined}\`` : undefined,
  ];
  return words.filter((word) => word !== undefined).join(' ');
}

function describeNetworkStep(step: NetworkStep): string {
  const words = [
    ...[step.event, step.amount, step.currency, step.of === undefined ? undefined : `(${step.of})`],
    ...[step.final ? 'final' : undefined, `sent at ${step.sent}`],
    step.declined ? `→ declined: \`${step.declined}\`` : undefined,
  ];
  return words.filter((word) => word !== undefined).join(' ');
}

if (require.main === module) writeFileSync(FILE, renderCases());
