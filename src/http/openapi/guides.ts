import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_EFFECTS, CARD_EFFECTS, type Effect } from '../../kernel/ledger/effects';

const DOCS = join(__dirname, '../../../docs');

/** Guides in the order of the page. `.dockerignore` admits them to the image. */
const GUIDES = [
  'guides/integrate-in-an-hour.md',
  'api/quick-start.md',
  'api/credentials.md',
  'api/idempotency.md',
  'api/errors.md',
  'guides/webhooks.md',
  'api/deprecation.md',
];

/** The guides of clients as Markdown, which readers of the document show before its operations. */
export function guides(): string {
  const texts = GUIDES.map((name) => asSection(readFileSync(join(DOCS, name), 'utf8')));
  texts.splice(-1, 0, effectsGuide());
  return texts.join('\n\n');
}

/**
 * The title becomes a heading of the second level, and links to other files become their text. A link to a chapter names it
 * as the reader does.
 */
const asSection = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```)$/m)
    .map((part) => (part.startsWith('```') ? part : asProse(part, markdown.startsWith('# '))))
    .join('')
    .trim();

const asProse = (text: string, lower: boolean): string =>
  (lower ? text.replace(/^#(?=#* )/gm, '##') : text)
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .replace(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1')
    .replaceAll('](#', '](#description/');

/** The tables of effects on balances (`interface.md 3.4`), from which the ledger posts. */
function effectsGuide(): string {
  return [
    '## Effects on balances',
    'An amount is never negative. The type of a transaction says which balances it changes, and in which direction. Fold these ' +
      'tables over your events, and you have our balances.',
    '### Card transactions',
    table('type', ['available', 'pending', 'spent'], CARD_EFFECTS),
    '### Account transactions',
    table('type/subtype', ['available', 'pending'], ACCOUNT_EFFECTS),
  ].join('\n\n');
}

function table(head: string, balances: (keyof Effect)[], effects: Record<string, Effect>): string {
  const sign = (factor: number) => (factor === 0 ? '' : factor > 0 ? '+' : '−');
  const rows = Object.entries(effects).map(
    ([name, effect]) => `| \`${name}\` | ${balances.map((balance) => sign(effect[balance])).join(' | ')} |`,
  );
  return [
    `| ${head} | ${balances.join(' | ')} |`,
    `| --- | ${balances.map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n');
}
