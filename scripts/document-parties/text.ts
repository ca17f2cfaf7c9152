import { PARTY_PROTOCOLS } from '../../src/parties/definitions';
import type { PartyLine, PartyOperation, PartyProtocol } from '../../src/parties/protocol/description';
import { MEANINGS } from '../../src/parties/protocol/meanings';
import { authorizationFor, SIGNATURE_HEADER, signMessage } from '../../src/parties/protocol/signature';
import { withBlock } from '../marked-block';
import { SAMPLE } from './openapi';

/** The generated blocks of docs/parties.md by name. A block stands between `<!-- name: … -->` and `<!-- end of name -->`. */
const blocks = (): Record<string, string> => ({
  answers: answersTable(),
  'worked example': workedExample(),
  ...Object.fromEntries(PARTY_PROTOCOLS.map((protocol) => [`party ${protocol.name}`, partyText(protocol)])),
});

/** Returns the document with every block generated anew. @throws Error when a mark is missing */
export function withBlocks(document: string): string {
  let text = document;
  for (const [name, content] of Object.entries(blocks())) {
    const block = {
      file: 'docs/parties.md',
      begin: `<!-- ${name}: scripts/document-parties.ts -->`,
      end: `<!-- end of ${name} -->`,
    };
    text = withBlock(text, block, `${content}\n`);
  }
  return text;
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function answersTable(): string {
  const rows = MEANINGS.map(({ asked, answered, means, thrown, money }) =>
    [`\`${asked}\``, answered, means, thrown ? `\`${thrown}\`` : '–', money].map(cell).join(' | '),
  );
  return [
    '| request | answer of the party | meaning | our adapter throws | effect on the money |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

/** Inputs of the worked example. A reader can recompute every value from them. */
export const WORKED = {
  secret: 'correct horse battery staple',
  at: new Date('2026-01-31T12:00:00Z'),
  body: '{"id":"change-17","key":"payout-1"}',
};

function workedExample(): string {
  const secret = Buffer.from(WORKED.secret);
  return fenced(
    '',
    [
      `secret           ${WORKED.secret}`,
      `body             ${WORKED.body}`,
      `signed at        ${WORKED.at.toISOString()}`,
      '',
      `authorization: ${authorizationFor(secret)}`,
      `${SIGNATURE_HEADER}: ${signMessage(Buffer.from(WORKED.body), secret, WORKED.at)}`,
    ].join('\n'),
  );
}

function partyText({ name, purpose, operations, callback, lines = [] }: PartyProtocol): string {
  return [
    `${purpose} [\`${name}.openapi.json\`](parties/${name}.openapi.json) has every field.`,
    '',
    ...operations.map(operationText),
    ...(callback ? [`Its callback: \`${JSON.stringify(callback.example)}\``, ''] : []),
    ...lines.flatMap(lineText),
  ].join('\n');
}

function lineText({ path, summary, description, examples, refusals }: PartyLine): string[] {
  return [
    `### ${summary}: \`POST ${path}\``,
    '',
    description,
    '',
    ...Object.entries(examples).flatMap(([what, { message, answer }]) => [
      `An ${what}`.replace(/^An (?![aeiou])/, 'A '),
      '',
      fenced('json', JSON.stringify(message)),
      '',
      'is answered with',
      '',
      fenced('json', JSON.stringify(answer)),
      '',
    ]),
    'Other answers:',
    '',
    ...Object.entries(refusals).map(([status, meaning]) => `- ${status}: ${meaning}`),
    '',
  ];
}

/** The section *Requests* explains the `malformed_` codes of all operations once. */
function operationText(operation: PartyOperation): string {
  const { method, path, summary, description, example } = operation;
  const asked =
    operation.method === 'POST'
      ? [fenced('json', jsonOf(operation.sample(SAMPLE))), '', 'is answered with', '']
      : [];
  const codes =
    operation.method === 'POST'
      ? Object.entries(operation.refusals).filter(([code]) => !code.startsWith('malformed_'))
      : [];
  const refusals =
    codes.length > 0
      ? ['', 'Refusals (422):', '', ...codes.map(([code, why]) => `- \`${code}\`: ${why}`)]
      : [];
  return [
    `**\`${method} ${path}\`** – ${summary}.${description === undefined ? '' : ` ${description}`}`,
    '',
    ...asked,
    fenced('json', jsonOf(example)),
    ...refusals,
    '',
  ].join('\n');
}

/** Formats JSON in one line if it fits the page, else with a line for each property. */
function jsonOf(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (line.length <= MAX_LINE || !isObject) return line;
  const inner = `${indent}  `;
  const properties = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${jsonOf(each, inner)}`,
  );
  return `{\n${properties.join(',\n')}\n${indent}}`;
}

const MAX_LINE = 130;

const fenced = (kind: string, text: string): string => `\`\`\`${kind || 'text'}\n${text}\n\`\`\``;
