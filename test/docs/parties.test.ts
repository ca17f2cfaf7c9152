import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiFiles } from '../../scripts/document-parties';
import { SAMPLE } from '../../scripts/document-parties/openapi';
import { WORKED, withBlocks } from '../../scripts/document-parties/text';
import { PARTY_PROTOCOLS } from '../../src/parties/definitions';

const guide = readFileSync(join(__dirname, '../../docs/parties.md'), 'utf8');

it('shows the current protocol in docs/parties.md: npm run document writes it', () => {
  expect(withBlocks(guide)).toBe(guide);
});

it.each(openApiFiles())('%s has the current schemas', (file, content) => {
  expect(readFileSync(file, 'utf8')).toBe(content);
});

describe.each(PARTY_PROTOCOLS.map((protocol) => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  it.each(protocol.operations.map((operation) => [operation.name, operation] as const))(
    '%s: the examples match the schemas',
    (_name, operation) => {
      expect(operation.answer.safeParse(operation.example).error).toBeUndefined();
      if (operation.method !== 'POST') return;
      const sample = operation.sample({ ...SAMPLE, callbackUrl: 'https://cardwright.example/callbacks' });
      expect(operation.request.safeParse(sample).error).toBeUndefined();
      expect(operation.request.safeParse({ ...sample, ...operation.another }).success).toBe(true);
    },
  );

  it('has an example callback that matches its schema and names a record', () => {
    const { callback } = protocol;
    if (!callback) return;
    expect(callback.schema.safeParse(callback.example).error).toBeUndefined();
    expect(Object.keys(callback.example)).toContain(callback.ref);
  });
});

it('shows a worked example that HMAC-SHA256 alone recomputes', () => {
  const hmac = (text: string) => createHmac('sha256', WORKED.secret).update(text).digest('hex');
  const seconds = WORKED.at.getTime() / 1000;
  expect(guide).toContain(`authorization: Bearer ${hmac('requests')}\n`);
  expect(guide).toContain(`t=${seconds},v1=${hmac(`${seconds}.${WORKED.body}`)}\n`);
  expect(guide).toContain(`'${seconds}.${WORKED.body}'`);
});
