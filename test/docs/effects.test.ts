import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEffects } from '../../scripts/document-effects';

it('shows the current effects in the guide: npm run document writes them', () => {
  const guide = readFileSync(join(__dirname, '../../docs/guides/webhooks.md'), 'utf8');
  expect(withEffects(guide)).toBe(guide);
  expect(guide).toContain('| `settle` | 0 | −amount | +amount |');
});
