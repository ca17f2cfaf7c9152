import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readConfig } from '../../src/kernel/config/config';

const text = readFileSync(join(__dirname, '../../docs/live.md'), 'utf8');

it('gives settings with which a live installation starts', () => {
  const [, block = ''] = /```dotenv\n(.*?)```/s.exec(text) ?? [];
  const config = readConfig(parseEnv(block), 'reaches');
  expect(config.mode).toBe('live');
  expect(config.outside.stripeIssuing).toMatchObject({ processes: true, reviews: true });
  expect(config.outside.bankFiles?.serves).toEqual(['payouts', 'bank']);
  expect(config.outside.ibanRange).toMatchObject({ country: 'DE', digits: 6 });
});
