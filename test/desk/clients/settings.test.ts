import { changedSettings, exampleOf, shownSettings } from '../../../src/desk/clients/settings';
import { tenantSettings } from '../../../src/tenants/clients/settings';

const defaults = shownSettings(tenantSettings.parse({}));

const keysOf = (value: unknown, path: string[] = []): string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => keysOf(inner, [...path, name]))
    : [path.join('.')];

it.each(keysOf(defaults))('%s accepts the example in its error message', (key) => {
  const [, typed = ''] = /^--set '?(.*?)'?$/.exec(exampleOf(key)) ?? [];
  const at = typed.indexOf('=');
  expect(typed.slice(0, at)).toBe(key);
  const value = typed.slice(at + 1);
  expect(['', 'null', '[]', 'undefined']).not.toContain(value);
  expect(() => changedSettings(defaults, [{ key, value }])).not.toThrow();
});
