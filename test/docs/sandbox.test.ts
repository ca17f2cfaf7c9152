import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMagicValues } from '../../scripts/document-sandbox';

it('lists the current magic values in docs/sandbox.md: npm run document writes them', () => {
  const document = readFileSync(join(__dirname, '../../docs/sandbox.md'), 'utf8');
  expect(withMagicValues(document)).toBe(document);
});
