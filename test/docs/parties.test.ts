import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiFiles } from '../../scripts/document-parties';
import { SAMPLE } from '../../scripts/document-parties/openapi';
import { WORKED, withBlocks } from '../../scripts/document-parties/text';
import { PARTY_PROTOCOLS } from '../../src/parties/protocols';

const guide = readFileSync(join(__dirname, '../../docs/parties.md'), 'utf8');

it('is written as the code is: npx tsx scripts/document-parties.ts writes it anew', () => {
  expect(withBlocks(guide)).toBe(guide);
});

it.each(openApiFiles())('%s is what the code says', (file, content) => {
  expect(readFileSync(file, 'utf8')).toBe(content);
});

describe.each(PARTY_PROTOCOLS.map((protocol) => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  it.each(protocol.operations.map((operation) => [operation.name, operation] as const))(
    '%s: its examples are of its schemas',
    (_name, operation) => {
      expect(operation.answer.safeParse(operation.example).error).toBeUndefined();
      if (operation.method !== 'POST') return;
      const sample = operation.sample({ ...SAMPLE, callbackUrl: 'https://cardwright.example/callbacks' });
      expect(operation.request.safeParse(sample).error).toBeUndefined();
      expect(operation.request.safeParse({ ...sample, ...operation.another }).success).toBe(true);
    },
  );

  it('its callback is of its schema, and names a record', () => {
    const { callback } = protocol;
    if (!callback) return;
    expect(callback.schema.safeParse(callback.example).error).toBeUndefined();
    expect(Object.keys(callback.example)).toContain(callback.ref);
  });
});

it('the worked example can be recomputed with nothing but HMAC-SHA256', () => {
  const hmac = (text: string) => createHmac('sha256', WORKED.secret).update(text).digest('hex');
  const seconds = WORKED.at.getTime() / 1000;
  expect(guide).toContain(`authorization: Bearer ${hmac('requests')}\n`);
  expect(guide).toContain(`t=${seconds},v1=${hmac(`${seconds}.${WORKED.body}`)}\n`);
  expect(guide).toContain(`'${seconds}.${WORKED.body}'`);
});
