import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMagicValues } from '../../scripts/document-sandbox';

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

it('lists the magic values that the sandbox obeys', () => {
  expect(withMagicValues(readme)).toBe(readme);
});

it('names scripts and files that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [, name] of readme.matchAll(/npm run ([a-z:-]+)/g)) expect(Object.keys(scripts)).toContain(name);
  for (const [, path] of readme.matchAll(/\]\((docs\/[\w-]+\.md)\)/g))
    expect(existsSync(join(root, path as string))).toBe(true);
});
