/** @long */
import { bookDeposits } from '../../../src/transfers/chain-deposits/book';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../../src/watch/chains/reading';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

const PAYMENTS = 12;

let world: World;
beforeEach(async () => {
  world = await openWorld({ blockTime: 'manual' });
  await world.turn(); // begins at the head
});
afterEach(() => world.close());

/** Pays wallets of two accounts in blocks of four, and mines until all are final. */
async function paid(): Promise<string[]> {
  const accounts = [await world.account(), await world.account('USDT', await world.api.client())];
  for (let n = 0; n < PAYMENTS; n += 1) {
    await world.chain.pay(world.token, await world.wallet(accounts[n % 2]), 2_000_000n);
    if (n % 4 === 3) await world.chain.client.mine({ blocks: 1 });
  }
  await world.chain.client.mine({ blocks: 3 });
  return accounts;
}

const idsOf = async () => (await world.deposits()).map(({ id }) => id);
const statuses = async () => [...new Set((await world.deposits()).map(({ status }) => status))];
const read = () => readChain(world.api.services, 'local', nothingRemembered(), async () => undefined);
const ofDeposits = () => world.api.commands.filter(({ workflow }) => workflow === 'chainDeposit');
const eventsOf = async (event: string) =>
  (await world.api.database.query('select 1 from events where event = $1', [event])).length;

it('credits final payments while the chain is read, without a workflow of their own', async () => {
  const accounts = await paid();
  expect(await world.turn()).toBe('read');
  expect(await statuses()).toEqual(['credited']);
  for (const account of accounts) expect(await world.available(account)).toBe('12');
  expect(await world.booked('pool@local:USDT')).toBe('-24');
  expect(ofDeposits()).toEqual([]);
  const histories = await world.api.database.query(
    'select account_id, count(*)::int as changes from status_changes group by 1 order by 1',
  );
  expect(histories).toEqual(accounts.toSorted().map((account_id) => ({ account_id, changes: PAYMENTS })));
  expect(await eventsOf('account_transaction')).toBe(PAYMENTS);
});

it('credits each payment once when two book the same ones', async () => {
  const accounts = await paid();
  await read();
  const ids = await idsOf();
  const book = (some: string[]) => bookDeposits(world.api.services, some);
  await Promise.all([book(ids), book(ids.toReversed()), book(ids.slice(3))]);
  expect(await statuses()).toEqual(['credited']);
  for (const account of accounts) expect(await world.available(account)).toBe('12');
});

/** Refuses every step of a deposit. */
async function refused(id: string): Promise<void> {
  await world.api.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$`,
  );
  await world.api.database.query(
    `create trigger refused before insert on transfer_words for each row when (new.transfer_id = '${id}')
       execute function refuse()`,
  );
}

it('tries a deposit whose step always fails in ever fewer blocks', async () => {
  await paid();
  await read();
  const bad = (await idsOf())[5] as string;
  await refused(bad);
  const remembered = nothingRemembered();
  const tried: string[] = [];
  const book = async (ids: readonly string[]) => {
    tried.push(...ids);
    await bookDeposits(world.api.services, ids);
  };
  const next = async () => {
    await world.chain.client.mine({ blocks: 1 });
    expect(await readChain(world.api.services, 'local', remembered, book)).toBe('read');
  };
  for (let block = 1; block <= 16; block += 1) await next();
  expect(tried.filter((id) => id === bad)).toHaveLength(5); // blocks 1, 2, 4, 8, 16
  expect(new Set(tried)).toEqual(new Set(await idsOf()));
  await world.api.database.query('drop trigger refused on transfer_words');
  for (let block = 17; block <= 32; block += 1) await next();
  expect(await statuses()).toEqual(['credited']);
});

it('books all others when one cannot be booked, and gives that one to its workflow', async () => {
  await paid();
  await read();
  const ids = await idsOf();
  const bad = ids[5] as string;
  await refused(bad);
  await bookDeposits(world.api.services, ids);
  const open = (await world.deposits()).filter(({ status }) => status === 'confirming');
  expect(open.map(({ id }) => id)).toEqual([bad]);
  expect(ofDeposits().map(({ action, args }) => [action, args])).toEqual([['look', [bad]]]);
  await world.api.database.query('drop trigger refused on transfer_words');
  await world.looks();
  expect(await statuses()).toEqual(['credited']);
});

it('books payments that a killed process has found and not booked', async () => {
  const accounts = await paid();
  await read();
  await world.turn();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(accounts[0] as string)).toBe('12');
});

it('leaves payments to their workflows while no node answers', async () => {
  await paid();
  await read();
  const ids = await idsOf();
  await world.chain.stop();
  await bookDeposits(world.api.services, ids);
  expect(await statuses()).toEqual(['confirming']);
  expect(new Set(ofDeposits().map(({ args }) => args[0]))).toEqual(new Set(ids));
});
