import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_EFFECTS, CARD_EFFECTS, type Effect } from '../src/kernel/ledger/effects';
import { withBlock } from './marked-block';

/** Writes the table of effects on balances into docs/guides/webhooks.md: `npm run document`. */

const DOCUMENT = join(__dirname, '../docs/guides/webhooks.md');
const BLOCK = {
  file: 'docs/guides/webhooks.md',
  begin: '<!-- effects: scripts/document-effects.ts -->',
  end: '<!-- end of the effects -->',
};

const SIGNS = { '-1': '−amount', '0': '0', '1': '+amount' };

const sign = (factor: Effect['available']): string => SIGNS[`${factor}`];

const rows = (effects: Record<string, Effect>): string[] =>
  Object.entries(effects).map(
    ([name, { available, pending, spent }]) =>
      `| \`${name}\` | ${sign(available)} | ${sign(pending)} | ${sign(spent)} |`,
  );

const table = (title: string, effects: Record<string, Effect>): string =>
  [`| ${title} | available | pending | spent |`, '| --- | --- | --- | --- |', ...rows(effects)].join('\n');

/** The document with its current tables of effects. */
export const withEffects = (document: string): string =>
  withBlock(
    document,
    BLOCK,
    `\n${table('`card_transaction`', CARD_EFFECTS)}\n\n${table('`account_transaction`', ACCOUNT_EFFECTS)}\n\n`,
  );

if (require.main === module) writeFileSync(DOCUMENT, withEffects(readFileSync(DOCUMENT, 'utf8')));
