import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shownKey, signedHeaders } from '../../src/tenants/webhooks/delivery/signature';

/** Runs the functions of docs/guides/webhooks.md that verify a webhook, as a reader copies them. */

const guide = readFileSync(join(__dirname, '../../docs/guides/webhooks.md'), 'utf8');

function snippet(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(guide) ?? [];
  if (!code) throw new Error(`the guide has no ${language}`);
  return code;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  writeFileSync(join(folder, 'verify.ts'), snippet('ts'));
  writeFileSync(join(folder, 'verify.py'), snippet('python'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const body = Buffer.from('{"event":"card_transaction","data":{"id":"ctx_1","note":"Zürich ✓"}}');
const keys = { secret: Buffer.from('secret'), standard: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] };
const headersAt = (at: Date) => signedHeaders({ id: 'evt_1', body, at }, keys);

interface Case {
  key: string;
  headers: Record<string, string>;
  body: string;
}

/** Prints the answer, or the message of the error, for a case on standard input. */
const PROGRAMS: Record<string, [command: string, arguments_: string[], program: string, file: string]> = {
  TypeScript: [
    process.execPath,
    [],
    `import { readFileSync } from 'node:fs';
     import { verifyWebhook } from './verify.ts';
     const { key, headers, body } = JSON.parse(readFileSync(0, 'utf8'));
     try { console.log(JSON.stringify(verifyWebhook(key, headers, Buffer.from(body)))); }
     catch (error) { console.log(error.message); }`,
    'program.mts',
  ],
  Python: [
    'python3',
    [],
    [
      'import json, sys',
      'from verify import verify_webhook',
      'case = json.load(sys.stdin)',
      'try:',
      '    print(json.dumps(verify_webhook(case["key"], case["headers"], case["body"].encode()), ensure_ascii=False, separators=(",", ":")))',
      'except ValueError as error:',
      '    print(error)',
    ].join('\n'),
    'program.py',
  ],
};

async function run(language: string, given: Case): Promise<string> {
  const [command, before, program, file] = PROGRAMS[language]!;
  writeFileSync(join(folder, file), program);
  const child = promisify(execFile)(command, [...before, join(folder, file)], {
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  child.child.stdin?.end(JSON.stringify(given));
  return (await child).stdout.trim();
}

describe.each(Object.keys(PROGRAMS))('%s', (language) => {
  const [newest, old] = keys.standard.map(shownKey) as [string, string];
  const fresh = () => headersAt(new Date());
  const given = (changed: Partial<Case> = {}): Case => ({
    key: newest,
    headers: fresh(),
    body: body.toString(),
    ...changed,
  });

  it('accepts a webhook by the key of either secret', async () => {
    expect(await run(language, given())).toBe(body.toString());
    expect(await run(language, given({ key: old }))).toBe(body.toString());
  });

  it.each<[string, () => Partial<Case>]>([
    ['a changed body', () => ({ body: body.toString().replace('ctx_1', 'ctx_2') })],
    ['another id', () => ({ headers: { ...fresh(), 'webhook-id': 'evt_2' } })],
    ['another key', () => ({ key: shownKey(Buffer.alloc(32, 3)) })],
    ['no signature', () => ({ headers: { ...fresh(), 'webhook-signature': '' } })],
  ])('refuses %s', async (_, changed) => {
    expect(await run(language, given(changed()))).toBe('The signature is wrong.');
  });

  it('refuses an old webhook', async () => {
    expect(await run(language, given({ headers: headersAt(new Date(Date.now() - 301_000)) }))).toBe(
      'The webhook is too old.',
    );
  });
});
