import { readFileSync } from 'node:fs';
import { Decimal } from '../../../src/kernel/money/money';
import { PARTY_ACCOUNTS, SETTLED_PARTIES } from '../../../src/kernel/parties';
import { balanced, componentsOf, internal } from '../../../src/transfers/engine/books/position';
import { TRANSFER_KINDS } from '../../../src/transfers/kinds';

/** Each party has its own internal account, and a kind of transfer books only at its party's. */

const ACCOUNTS: readonly string[] = Object.values(PARTY_ACCOUNTS);

it('parties have different accounts', () => {
  expect(new Set(ACCOUNTS).size).toBe(SETTLED_PARTIES.length);
});

describe.each(TRANSFER_KINDS.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  const own = kind.party === 'chain' ? undefined : PARTY_ACCOUNTS[kind.party];
  const table = componentsOf(kind);

  it('books only at its own party', () => {
    const booked = Object.values(table).flatMap((rule) =>
      rule.on === 'internal' && ACCOUNTS.includes(rule.account) ? [rule.account] : [],
    );
    expect([...new Set(booked)]).toEqual(own === undefined ? [] : [own]);
  });

  it.each(ACCOUNTS.filter((account) => account !== own))(
    'refuses a position at the account %s',
    (account) => {
      const position = [internal(account, 'USD', new Decimal(1))];
      expect(() => balanced(position, table)).toThrow(`no component is called ${account}`);
    },
  );

  it('is documented with its account', () => {
    const text = readFileSync('docs/architecture.md', 'utf8');
    const row = text
      .split('\n')
      .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${name}\``));
    expect(row).toContain(`| \`${kind.party}\` | \`${own ?? 'pool@<chain>'}\` |`);
  });
});

it('each party is documented with its account', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  for (const [party, account] of Object.entries(PARTY_ACCOUNTS))
    expect(text).toContain(`\n| \`${party}\` | \`${account}\` |\n`);
});
