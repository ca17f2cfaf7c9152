import type { Knex } from 'knex';
import type { Statement } from '../../../src/kernel/db/database';
import type { Services } from '../../../src/services';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../../src/watch/chains/reading';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

const TRANSFERS = 12;

let world: World;
beforeAll(async () => {
  world = await openWorld({ blockTime: 'manual' });
  await world.turn(); // begins at the head
});
afterAll(() => world.close());

/** Services that record the statements of transactions in their order. */
function listened(): { services: Services; sent: string[] } {
  const { services } = world.api;
  const sent: string[] = [];
  const heard = (query: Knex.QueryBuilder) => sent.push(query.toSQL().sql);
  const transaction: typeof services.database.transaction = (work, ...rest) =>
    services.database.transaction(
      (tx) =>
        work({
          ...tx,
          run: (query) => {
            heard(query);
            return tx.run(query);
          },
          query: (text, values) => {
            sent.push(text);
            return tx.query(text, values);
          },
          prepared: (name, text, values) => {
            sent.push(text);
            return tx.prepared(name, text, values);
          },
          defer(statement: Statement, then?: (rows: never[]) => void) {
            if ('text' in statement) sent.push(statement.text);
            else heard(statement);
            tx.defer(statement, then);
          },
        }),
      ...rest,
    );
  return { services: { ...services, database: { ...services.database, transaction } }, sent };
}

const isLockOfAccounts = (text: string) => /ledger_accounts\s.*for no key update/s.test(text);
const isHistory = (text: string) => text.includes('note_status_changes');

test('a reading locks accounts last, and finds all owners in one statement', async () => {
  const { pay, client } = world.chain;
  const account = await world.account();
  const wallets = [await world.wallet(account), await world.wallet(account)];
  const strange = await world.chain.token();
  for (let n = 0; n < TRANSFERS; n += 1) await pay(world.token, wallets[n % 2] as string, 2_000_000n);
  await pay(strange, wallets[0] as string, 1n);
  await client.mine({ blocks: 2 });
  const { services, sent } = listened();
  // The steps of the deposits have transactions of their own.
  expect(await readChain(services, 'local', nothingRemembered(), async () => undefined)).toBe('read');
  expect((await world.deposits()).map(({ account: of }) => of)).toEqual(Array(TRANSFERS).fill(account));
  const locked = sent.findIndex(isLockOfAccounts);
  expect(locked).toBeGreaterThan(0);
  expect(sent.slice(locked + 1).filter((text) => !isHistory(text))).toEqual([]);
  expect(sent.filter((text) => text.includes('unlisted_tokens'))).toHaveLength(1);
  for (const asked of ['wallet_allocations', 'ledger_accounts'])
    expect([
      asked,
      sent.filter((text) => text.includes(asked) && !isLockOfAccounts(text) && !isHistory(text)).length,
    ]).toEqual([asked, 1]);
});
