import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMagicValues } from '../../scripts/document-sandbox';

it('lists the magic values that the sandbox obeys: npx tsx scripts/document-sandbox.ts lists them anew', () => {
  const document = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');
  expect(withMagicValues(document)).toBe(document);
});
