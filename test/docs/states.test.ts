import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { domainReadmes, type StateTables, withStates } from '../../scripts/document-states';

it('shows the current states in the READMEs: npm run document writes them', () => {
  for (const readme of domainReadmes()) {
    const document = readFileSync(join(__dirname, '../..', readme), 'utf8');
    expect(withStates(readme, document)).toBe(document);
  }
});

const README = 'src/doors/README.md';
const TABLES: StateTables = {
  doors: {
    readme: README,
    rows: [
      { from: null, on: 'build', to: 'shut' },
      { from: 'shut', on: 'open', to: 'open' },
      { from: 'open', on: 'break', to: 'broken' },
      { from: ['shut'], on: 'break', to: 'broken' },
      { from: 'broken', on: 'repair', to: 'shut', contradicts: true },
    ],
  },
};

const marked = (name: string, content: string) =>
  `# Doors\n\n<!-- states: ${name} -->\n${content}<!-- end of the states -->\n\nThe rest.\n`;

describe('a table of states', () => {
  const current = withStates(README, marked('doors', 'stale\n'), TABLES);

  it('replaces the text between its marks', () => {
    expect(current).toBe(
      marked(
        'doors',
        [
          '',
          '| from | trigger | to |',
          '| --- | --- | --- |',
          '| none | `build` | `shut` |',
          '| `shut` | `open` | `open` |',
          '| `open`, `shut` | `break` | `broken` |',
          '| `broken` | `repair` | `shut` (contradiction) |',
          '',
          'A contradiction: the party takes its report back. The books follow, and a break shows it.',
          '',
          '',
        ].join('\n'),
      ),
    );
    expect(withStates(README, current, TABLES)).toBe(current);
  });

  it('is refused when its mark names no table', () => {
    expect(() => withStates(README, marked('windows', ''), TABLES)).toThrow(
      'src/doors/README.md: no table of states "windows" is listed for it',
    );
  });

  it('is refused when it is listed for another README', () => {
    expect(() => withStates('src/windows/README.md', marked('doors', ''), TABLES)).toThrow(
      'src/windows/README.md: no table of states "doors" is listed for it',
    );
  });

  it('is refused when its README has no mark for it', () => {
    expect(() => withStates(README, '# Doors\n', TABLES)).toThrow('has no mark <!-- states: doors -->');
  });

  it('is refused when its block has no end', () => {
    expect(() => withStates(README, '<!-- states: doors -->\n', TABLES)).toThrow('has lost the marks');
  });
});
