import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATION_TRANSITIONS } from '../src/cards/buffered/record';
import { CARD_TRANSITIONS } from '../src/cards/cards/record';
import { CHALLENGE_TRANSITIONS } from '../src/cards/challenges/record';
import { GAS_OPERATION_TRANSITIONS } from '../src/chain/gas-station/operations/record';
import { WALLET_TRANSITIONS } from '../src/chain/wallets/record';
import { CARDHOLDER_TRANSITIONS } from '../src/people/cardholders/record';
import { KYC_DOCUMENT_TRANSITIONS, KYC_TRANSITIONS } from '../src/people/kyc/record';
import { DELIVERY_TRANSITIONS } from '../src/tenants/webhooks/delivery/record';
import { ENDPOINT_TRANSITIONS } from '../src/tenants/webhooks/record';
import { kindOf } from '../src/transfers/kinds';
import { withBlock } from './marked-block';

/** Writes the tables of states into the READMEs of the domains: `npm run document`. */

const ROOT = join(__dirname, '..');

/** A row of a domain's table of transitions. `null`: there was no record. */
export interface StateRow {
  from: string | null | readonly (string | null)[];
  on: string;
  to: string;
  contradicts?: true | undefined;
}

/** Tables of states by the name in their marks, each with the README that shows it. */
export type StateTables = Readonly<Record<string, { readme: string; rows: readonly StateRow[] }>>;

export const STATE_TABLES: StateTables = {
  cardholders: { readme: 'src/people/cardholders/README.md', rows: CARDHOLDER_TRANSITIONS },
  kyc: { readme: 'src/people/kyc/README.md', rows: KYC_TRANSITIONS },
  'kyc documents': { readme: 'src/people/kyc/README.md', rows: KYC_DOCUMENT_TRANSITIONS },
  'webhook endpoints': { readme: 'src/tenants/webhooks/README.md', rows: ENDPOINT_TRANSITIONS },
  'webhook deliveries': { readme: 'src/tenants/webhooks/README.md', rows: DELIVERY_TRANSITIONS },
  cards: { readme: 'src/cards/cards/README.md', rows: CARD_TRANSITIONS },
  'card operations': { readme: 'src/cards/buffered/README.md', rows: OPERATION_TRANSITIONS },
  challenges: { readme: 'src/cards/challenges/README.md', rows: CHALLENGE_TRANSITIONS },
  wallets: { readme: 'src/chain/wallets/README.md', rows: WALLET_TRANSITIONS },
  'gas-operations': { readme: 'src/chain/gas-station/README.md', rows: GAS_OPERATION_TRANSITIONS },
  deposits: ofKind('deposit', 'src/transfers/deposits/README.md'),
  payouts: ofKind('payout', 'src/transfers/payouts/README.md'),
  'iban-credits': ofKind('iban_credit', 'src/transfers/iban/README.md'),
  'card-topups': ofKind('card_topup', 'src/transfers/external-cards/README.md'),
  'card-withdrawals': ofKind('card_withdrawal', 'src/transfers/external-cards/README.md'),
  'chain-deposits': ofKind('chain_deposit', 'src/transfers/chain-deposits/README.md'),
  'exchange-orders': ofKind('exchange_order', 'src/transfers/exchange/README.md'),
};

function ofKind(name: string, readme: string) {
  return { readme, rows: kindOf(name).transitions };
}

const END = '<!-- end of the states -->';
const MARK = /^<!-- states: (.+) -->$/gm;

/**
 * The README with its current tables of states.
 * @param readme path from the root
 * @throws Error when a mark names no table of this README, when a table lacks its mark, or when a block lacks its end
 */
export function withStates(readme: string, document: string, tables: StateTables = STATE_TABLES): string {
  const marked = [...document.matchAll(MARK)].map(([, name = '']) => name);
  const listed = Object.keys(tables).filter((name) => tables[name]?.readme === readme);
  for (const name of marked)
    if (!listed.includes(name)) throw new Error(`${readme}: no table of states "${name}" is listed for it`);
  for (const name of listed)
    if (!marked.includes(name)) throw new Error(`${readme} has no mark <!-- states: ${name} -->`);
  return marked.reduce((text, name) => {
    const block = { file: readme, begin: `<!-- states: ${name} -->`, end: END };
    return withBlock(text, block, renderStates(tables[name]?.rows ?? []));
  }, document);
}

function renderStates(rows: readonly StateRow[]): string {
  const froms = new Map<string, string[]>();
  for (const { from, on, to, contradicts } of rows) {
    const end = `\`${on}\` | \`${to}\`${contradicts ? ' (contradiction)' : ''}`;
    const statuses = [from].flat().map((status) => (status === null ? 'none' : `\`${status}\``));
    froms.set(end, [...(froms.get(end) ?? []), ...statuses]);
  }
  const legend = [
    '',
    'A contradiction: the party takes its report back. The books follow, and a break shows it.',
  ];
  return [
    '',
    '| from | trigger | to |',
    '| --- | --- | --- |',
    ...[...froms].map(([end, statuses]) => `| ${statuses.join(', ')} | ${end} |`),
    ...(rows.some(({ contradicts }) => contradicts) ? legend : []),
    '',
    '',
  ].join('\n');
}

/** READMEs of the source, as paths from the root. */
export const domainReadmes = (): string[] =>
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)README\.md$/.test(path))
    .map((path) => join('src', path))
    .sort();

if (require.main === module)
  for (const readme of domainReadmes()) {
    const file = join(ROOT, readme);
    writeFileSync(file, withStates(readme, readFileSync(file, 'utf8')));
  }
