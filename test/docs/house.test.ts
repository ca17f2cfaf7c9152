import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withHouse } from '../../scripts/document-house';

it('is drawn as the code is: npx tsx scripts/document-house.ts draws it anew', () => {
  const document = readFileSync(join(__dirname, '../../docs/architecture.md'), 'utf8');
  expect(withHouse(document)).toBe(document);
});
