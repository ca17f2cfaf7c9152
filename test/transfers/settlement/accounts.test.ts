import { readFileSync } from 'node:fs';
import { PARTY_ACCOUNTS, SETTLED_PARTIES } from '../../../src/kernel/ledger/party-accounts';
import { Decimal } from '../../../src/kernel/money/money';
import { balanced, componentsOf, internal } from '../../../src/transfers/engine/books/position';
import { TRANSFER_KINDS } from '../../../src/transfers/kinds';

/** Each party has an internal account of its own, and a kind of transfer has its party's alone. */

const ACCOUNTS: readonly string[] = Object.values(PARTY_ACCOUNTS);

it('gives no two parties one account', () => {
  expect(new Set(ACCOUNTS).size).toBe(SETTLED_PARTIES.length);
});

describe.each(TRANSFER_KINDS.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  const own = kind.party === 'chain' ? undefined : PARTY_ACCOUNTS[kind.party];
  const table = componentsOf(kind);

  it('books at its own party alone', () => {
    const booked = Object.values(table).flatMap((rule) =>
      rule.on === 'internal' && ACCOUNTS.includes(rule.account) ? [rule.account] : [],
    );
    expect([...new Set(booked)]).toEqual(own === undefined ? [] : [own]);
  });

  it.each(ACCOUNTS.filter((account) => account !== own))('refuses a position at %s', (account) => {
    const position = [internal(account, 'USD', new Decimal(1))];
    expect(() => balanced(position, table)).toThrow(`no component is called ${account}`);
  });

  it('stands with its account in the architecture', () => {
    const text = readFileSync('docs/architecture.md', 'utf8');
    const row = text
      .split('\n')
      .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${name}\``));
    expect(row).toContain(`| \`${kind.party}\` | \`${own ?? 'pool@<chain>'}\` |`);
  });
});

it('stands in the architecture party by party', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  for (const [party, account] of Object.entries(PARTY_ACCOUNTS))
    expect(text).toContain(`\n| \`${party}\` | \`${account}\` |\n`);
});
