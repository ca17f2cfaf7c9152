import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withHouse } from '../../scripts/document-house';

it('shows the current house in docs/architecture.md: npm run document draws it', () => {
  const document = readFileSync(join(__dirname, '../../docs/architecture.md'), 'utf8');
  expect(withHouse(document)).toBe(document);
});
