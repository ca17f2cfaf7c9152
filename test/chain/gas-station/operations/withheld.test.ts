import type { Address } from 'viem';
import { openMasterAccount } from '../../../../src/accounts/accounts/operations';
import { compareNow } from '../../../../src/chain/reconciliation/compare-now';
import type { Client } from '../../../support/api';
import { depositStatuses, posted, readBlocks, type TestStation, testStation } from './support';

/** Whole sweeps on a real node, of wallets with coins that a screening withholds. */

const UNIT = 1_000_000n;
let world: TestStation;
let client: Client;
let accountId: string;
beforeAll(async () => {
  world = await testStation();
  await world.configure({ autoSweep: true });
  client = await world.api.client();
  const { account } = await world.services.database.transaction((tx) =>
    openMasterAccount(tx, client.clientId, 'USDT'),
  );
  accountId = account.id;
  await readBlocks(world.services); // reading begins at the head
});
afterAll(() => world.close());

let references = 0;

/** A wallet of the account that keeps its address. */
async function assigned(): Promise<{ id: string; address: Address }> {
  references += 1;
  const asked = { chain: 'local', asset: 'USDT', accountId, reference: `order-${references}` };
  const { address } = await posted(client, '/v1/wallets/allocate', { ...asked, permanent: true });
  const text = `select id from wallets where address = $1 and chain = 'local'`;
  const [row] = await world.services.database.query<{ id: string }>(text, [address]);
  return { id: row?.id ?? '', address };
}

/** Pays from an address with this ending, and reads the blocks that make the payment final. */
async function pay(ending: string, to: Address, usdt: bigint): Promise<void> {
  const { chain, token } = world;
  const from: Address = `0x${'7'.repeat(34)}${ending}`;
  await chain.client.setBalance({ address: from, value: 10n ** 18n });
  await chain.client.impersonateAccount({ address: from });
  await chain.mined(await chain.write(token, 'TestUsdt', 'mint', [from, usdt * UNIT]));
  await chain.mined(await chain.write(token, 'TestUsdt', 'transfer', [to, usdt * UNIT], from as never));
  await chain.client.mine({ blocks: 2 });
  await readBlocks(world.services);
}

async function assertReconciled(): Promise<void> {
  await readBlocks(world.services);
  const lines = (await compareNow(world.services, 'local')).filter(({ asset }) => asset === 'USDT');
  expect(lines.map(({ compared }) => compared?.difference.toFixed())).toEqual(lines.map(() => '0'));
}

it('leaves refused and pending coins, and moves the rest', async () => {
  const wallet = await assigned();
  await pay('abc123', wallet.address, 5n);
  await pay('bad001', wallet.address, 7n);
  await pay('bad004', wallet.address, 9n);
  expect((await depositStatuses(world.services, wallet.address)).sort()).toEqual([
    ...['confirming', 'credited', 'uncredited'],
  ]);
  const held = Number(await world.held('treasury', 'USDT'));
  await world.lead((await world.topup(wallet.id)).id);
  const { id } = await world.sweep(wallet.id);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.tokens(wallet.address)).toBe(16n * UNIT);
  expect(Number(await world.held('treasury', 'USDT'))).toBe(held + 5);
  await assertReconciled();
});

it('sweeps nothing of a wallet that has withheld coins alone', async () => {
  const wallet = await assigned();
  await pay('bad001', wallet.address, 7n);
  const path = `/v1/gas-station/sweep-preflight/${wallet.id}?asset=USDT`;
  const { body } = await world.admin.call('GET', path);
  const failing = body.checks.filter(({ ok }: { ok: boolean }) => !ok);
  expect(failing.map(({ name }: { name: string }) => name)).toContain('balance');
  expect(await world.tokens(wallet.address)).toBe(7n * UNIT);
  await assertReconciled();
});

it('sweeps a deposit that release 1.0 has credited, whose statements do not know what is withheld', async () => {
  const wallet = await assigned();
  await pay('abc124', wallet.address, 5n);
  const { database } = world.services;
  const unbooked = 'update holding_changes set booked = 0, withheld = amount where address = $1';
  await database.query(unbooked, [wallet.address]);
  // Release 1.0 books by this statement.
  await database.query(
    `insert into holding_changes (chain, cause, address, asset, place, amount, booked, block_number)
     select chain, cause, address, asset, place, amount, amount, block_number from holding_changes where address = $1
     on conflict (chain, cause, address, asset)
     do update set amount = excluded.amount, booked = excluded.booked, block_number = excluded.block_number`,
    [wallet.address],
  );
  await world.lead((await world.topup(wallet.id)).id);
  const { id } = await world.sweep(wallet.id);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await world.tokens(wallet.address)).toBe(0n);
  await assertReconciled();
});
