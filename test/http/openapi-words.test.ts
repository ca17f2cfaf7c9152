import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { derivedId } from '../../src/http/openapi/operation-id';
import { OPERATION_NAMES } from '../../src/http/openapi/operation-names';
import { FIELD_EXAMPLES } from '../../src/kernel/wire/field-examples';
import { FIELD_WORDS } from '../../src/kernel/wire/field-words';
import { type TestApi, testApi } from '../support/api';

/** The document explains each field, and generated clients get readable names from it. */

let api: TestApi;
let document: any;
beforeAll(async () => {
  api = await testApi();
  document = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.close());

interface Field {
  where: string;
  name: string;
  schema: any;
}

/** Every field of every schema. */
function fieldsIn(node: any, where: string): Field[] {
  if (Array.isArray(node)) return node.flatMap((each) => fieldsIn(each, where));
  if (node === null || typeof node !== 'object') return [];
  const isSchema = typeof node.type === 'string' || node.anyOf || node.allOf;
  const own =
    isSchema && node.properties
      ? Object.entries(node.properties).map(([name, schema]) => ({ where, name, schema }))
      : [];
  return [...own, ...Object.entries(node).flatMap(([key, each]) => fieldsIn(each, `${where}/${key}`))];
}

const operations = () =>
  Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

it('describes every field and every parameter', () => {
  const fields = fieldsIn(document, '');
  expect(fields.length).toBeGreaterThan(1_000);
  expect(
    fields.filter(({ schema }) => !schema.description).map(({ where, name }) => `${where} ${name}`),
  ).toEqual([]);
  const parameters = operations().flatMap(({ path, operation }) =>
    (operation.parameters ?? []).map(({ name, description }: any) => ({ path, name, description })),
  );
  expect(parameters.filter(({ description }) => !description)).toEqual([]);
});

it('says of each amount and each time in which form it is', () => {
  const wrong = fieldsIn(document, '').filter(
    ({ schema: { format, description } }) =>
      (format === 'decimal' && !description.includes('decimal string')) ||
      (format === 'date-time' && !description.includes('UTC')),
  );
  expect(wrong).toEqual([]);
});

/** Every text for people: descriptions and summaries, with their place. */
function textsIn(node: any, where: string): [where: string, text: string][] {
  if (node === null || typeof node !== 'object') return [];
  return Object.entries<any>(node).flatMap(([key, each]): [string, string][] =>
    ['description', 'summary'].includes(key) && typeof each === 'string'
      ? [[where, each]]
      : textsIn(each, `${where}/${key}`),
  );
}

/** The sentences of a Markdown text, without its code and its tables. */
const sentencesOf = (text: string): string[] =>
  text
    .replace(/^```[^]*?^```$/gm, '')
    .split(/\n{2,}|\n(?=[-*#|] ?|\d+\. )|(?<=[.!?])\s+/)
    .filter((part) => !/^\s*\|/.test(part));

/** A pronoun or a clause stands where the subject should be named. */
const RIDDLE =
  /^(?:How|It|Its|Neither|Nor|Of|So|Such|That|Their|Theirs|These|They|This|Those|What|Where|Whether|Which|Who|Whoever|Whose|Why)\b/;

it.each([
  ['the guides', () => [['info', document.info.description] as [string, string]]],
  ['operations, events and fields', () => textsIn({ ...document, info: {} }, '')],
])('says everything in %s by short sentences that begin with their subject', (_, texts) => {
  const sentences = texts().flatMap(([where, text]) =>
    sentencesOf(text).map((sentence): [string, string] => [where, sentence]),
  );
  expect(sentences.length).toBeGreaterThan(50);
  const long = sentences.filter(([, sentence]) => sentence.trim().split(/\s+/).length > 25);
  const riddles = sentences.filter(([, sentence]) => RIDDLE.test(sentence));
  expect([...long, ...riddles]).toEqual([]);
});

it('links chapters of the guides as the reader names them', () => {
  const guides = document.info.description as string;
  const chapters = [...guides.matchAll(/^#+ (.*)$/gm)].map(
    ([, title = '']) =>
      `#description/${title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-')}`,
  );
  const links = [...guides.matchAll(/\]\((#[^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((link) => !chapters.includes(link))).toEqual([]);
});

it('finds a long sentence and one without a subject', () => {
  const long = `The card ${'really '.repeat(25)}pays.`;
  expect(sentencesOf(`The card pays. ${long} It is active.\n\n| a | b |\n- one\n- two`)).toEqual([
    ...['The card pays.', long, 'It is active.', '- one', '- two'],
  ]);
  expect(RIDDLE.test('It is active.')).toBe(true);
});

it('calls each record by the words of the glossary', () => {
  const of = (schema: string, field: string) =>
    document.components.schemas[schema].properties[field].description;
  expect([
    ...[of('KycDocument', 'id'), of('KycStatusEvent', 'status'), of('CardTransactionEvent', 'id')],
    of('AccountWithBins', 'status'),
  ]).toEqual([
    ...['Id of the KYC document.', 'State of the KYC.', 'Id of the card transaction.'],
    'State of the account.',
  ]);
  const { parameters } = document.paths['/v1/users/{id}/card/transactions'].get;
  expect(parameters.find(({ name }: any) => name === 'type').description).toBe('Type of the transaction.');
});

/** Names of fields whose values usually come from a closed list. */
const OF_A_LIST =
  /^(status|state|code|failure|reason|reasons|error|waitsFor|source|kind|type|subtype|method|strategy|event|action|outcome|cause|channel|mode|role|side|scope|scopes)$|[a-z](Status|State|Failure|Reason|Kind|Type|Method)s?$|(failure|error|decline)Code$/;

/** Fields with such a name whose values are open, with the reason. */
const OPEN: [reason: string, fields: string[]][] = [
  [
    'may be a code of the party',
    [
      'AccountHistoryItem/anyOf failure',
      'BufferedCard failure',
      'Card failure',
      'CardHistoryItem/anyOf failure',
      'CardOperation/properties/failure code',
      'ExchangeOrder failure',
      'ExchangeWithdrawal failure',
      'ExternalCardTransaction failure',
      'IbanPayout failure',
      'Payout failure',
      'PayoutStatusEvent failure',
      'TransferStatusEvent failure',
    ],
  ],
  [
    'a text of a person, or for one',
    [
      'CardholderRegistration reason',
      'GasOperation/properties/failure reason',
      'Kyc reason',
      'KycStatusEvent reason',
      'User statusReason',
    ],
  ],
  ['the section `webhooks` has an operation for each', ['Event event', 'Event/properties/body event']],
  ['any HTTP status may follow `http_`', ['WebhookAttempt error']],
  ['a code of a country, a city or an occupation', ['ReferenceItem code']],
  ['kept as the client gave it, and checked for a BIN', ['StoredUserMeta idType', 'UserMeta idType']],
];

it('lists the values of each field that has few, and names each one that has not', () => {
  const lists = (schema: any): boolean =>
    schema.enum !== undefined ||
    schema.const !== undefined ||
    schema.$ref !== undefined ||
    ['integer', 'number', 'boolean', 'object'].includes(schema.type) ||
    (schema.type === 'array' && lists(schema.items ?? {})) ||
    (schema.anyOf ?? schema.allOf ?? []).filter(({ type }: any) => type !== 'null').some(lists);
  const open = fieldsIn(document, '')
    .filter(({ where }) => !where.includes('/requestBody/') || where.startsWith('/webhooks/'))
    .filter(({ name, schema }) => OF_A_LIST.test(name) && !lists(schema))
    .map(({ where, name }) => `${where.replace('/components/schemas/', '')} ${name}`);
  expect([...new Set(open)].sort()).toEqual(OPEN.flatMap(([, fields]) => fields).sort());
});

it('shows what a random text or code would be refused for', () => {
  const bodyOf = (path: string) =>
    document.paths[path].put.requestBody.content['application/json'].schema.properties;
  expect(bodyOf('/v2/cards/{id}/limits').blockedCountries.items).toEqual({
    $ref: '#/components/schemas/Country',
  });
  expect(document.components.schemas.Country.enum).toContain('GB');
  expect(document.components.schemas.Country.enum).not.toContain('EW');
  expect('https://node.example/\u0000').not.toMatch(
    new RegExp(bodyOf('/v1/networks/{chain}').rpcUrls.items.pattern),
  );
});

it('leaves no placeholder in its words, and keeps no words that no field needs', () => {
  expect(JSON.stringify(document)).not.toContain('{of}');
  const named = new Set([
    ...fieldsIn(document, '').map(({ name }) => name),
    ...operations().flatMap(({ operation }) => (operation.parameters ?? []).map(({ name }: any) => name)),
  ]);
  const known = [...Object.keys(FIELD_WORDS), ...Object.keys(FIELD_EXAMPLES)];
  expect(known.filter((name) => !named.has(name))).toEqual([]);
});

const VERBS =
  /^(advance|allocate|check|close|confirm|create|credit|debit|delete|download|export|fail|freeze|generate|get|issue|list|note|open|quote|release|resend|retry|reveal|rotate|scan|set|submit|tokenize|topUp|unfreeze|update|upload|withdraw)[A-Z][A-Za-z]+$/;

it('names each operation once, by a verb and a noun', () => {
  const ids = operations().map(({ operation }) => operation.operationId as string);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !VERBS.test(id))).toEqual([]);
});

it('declares a name only where the rule gives no good one', () => {
  const known = new Map(operations().map(({ method, path, operation }) => [`${method} ${path}`, operation]));
  const needless = Object.entries(OPERATION_NAMES).filter(([operation, name]) => {
    const [method, path] = operation.split(' ') as [any, string];
    return !known.has(operation) || derivedId({ method, path }) === name;
  });
  expect(needless).toEqual([]);
});

it('says each record once, by a readable name', () => {
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(
    expect.arrayContaining(['User', 'Card', 'Deposit', 'Payout', 'Error', 'CardList', 'UserList']),
  );
  expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  const answers = operations().flatMap(({ path, method, operation }) =>
    Object.entries<any>(operation.responses).flatMap(([status, { content }]) => {
      const schema = Number(status) < 300 ? content?.['application/json']?.schema : undefined;
      return schema?.properties ? [`${method} ${path} ${status}`] : [];
    }),
  );
  expect(answers).toEqual([]);
});

it('shows an error with a typical code for each status of a refusal', () => {
  const shown = [
    ...Object.values<any>(document.components.responses),
    ...operations().flatMap(({ operation }) =>
      Object.entries<any>(operation.responses).flatMap(([status, answer]) =>
        Number(status) < 400 || answer.$ref || operation.operationId === 'getReadiness' ? [] : [answer],
      ),
    ),
  ];
  expect(shown.length).toBeGreaterThan(30);
  for (const { description, content } of shown)
    expect(description).toContain(`\`${content['application/json'].example.code}\``);
});

it('says what the fields of a user’s meta are', () => {
  const { UserMeta, StoredUserMeta } = document.components.schemas;
  expect(Object.keys(UserMeta.properties)).toHaveLength(21);
  expect(Object.keys(StoredUserMeta.properties)).toEqual(Object.keys(UserMeta.properties));
  expect(UserMeta.properties.birthday).toMatchObject({ type: ['string', 'null'] });
});

it('passes the lint of redocly without a warning', async () => {
  const lint = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', LINT], {
    maxBuffer: 1e7,
  });
  lint.child.stdin?.end(JSON.stringify(document));
  expect(JSON.parse((await lint).stdout)).toEqual([]);
}, 60_000);

/** Lints the document of the input, in a process of its own, because jest loads no module of this kind. */
const LINT = `
import { readFileSync } from 'node:fs';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
const config = await loadConfig({ configPath: 'redocly.yaml' });
const problems = await lintFromString({ source: readFileSync(0, 'utf8'), absoluteRef: 'openapi.json', config });
process.stdout.write(JSON.stringify(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])));
`;
