/** @long ends each reading at each of its calls. */
import { advanceAllocation } from '../../../src/chain/wallets/allocations/end';
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { Services } from '../../../src/services';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { atEachCall } from '../../support/broken-off';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

/** A reading, and the workflow of a deposit or a wallet, may be interrupted at any call and is still done once. */

const UNITS = 5_000_000n;

let world: World;
let accountId: string;
/** Deposits credited in earlier lives. */
let lives: number;
beforeEach(async () => {
  world = await openWorld();
  await world.turn(); // begins at the head
  accountId = await world.account();
  lives = 0;
});
afterEach(() => world.close());

const mine = (blocks: number) => world.chain.client.mine({ blocks });

/** Expects that the deposit is final, read and credited once, and that nothing is left without a look. */
async function expectCredited(): Promise<void> {
  lives += 1;
  await mine(2);
  await world.read();
  const statuses = new Set((await world.deposits()).map(({ status }) => status));
  expect([await world.available(accountId), [...statuses]]).toEqual([String(5 * lives), ['credited']]);
  expect(await world.booked('pool@local:USDT')).toBe(String(-5 * lives));
}

async function expectEachCall(live: (broken: Services) => Promise<void>, calls: number): Promise<void> {
  expect(await atEachCall(world.api.services, live)).toBeGreaterThan(calls);
  expect(await checkLedger(world.api.database)).toEqual([]);
}

it('a reading that finds a deposit', () =>
  expectEachCall(async (broken) => {
    await world.chain.pay(world.token, await world.wallet(accountId), UNITS);
    await readChain(broken, 'local').catch(() => undefined);
    await expectCredited();
  }, 4));

it('a step of a final deposit', () =>
  expectEachCall(async (broken) => {
    await world.chain.pay(world.token, await world.wallet(accountId), UNITS);
    await world.read();
    await mine(2);
    const open = (await world.deposits()).filter(({ status }) => status === 'confirming');
    expect(open).toHaveLength(1);
    for (const { id } of open) await advance(broken, chainDepositKind, id).catch(() => undefined);
    await world.lookAgain();
    await expectCredited();
  }, 2));

it('a step back after a reorganisation', () =>
  expectEachCall(async (broken) => {
    const wallet = await world.wallet(accountId);
    await world.read();
    const before = await world.chain.client.snapshot();
    const hash = await world.chain.pay(world.token, wallet, UNITS);
    await world.read();
    const serializedTransaction = await world.chain.signed(hash);
    await world.chain.client.revert({ id: before });
    await mine(1);
    await world.chain.client.sendRawTransaction({ serializedTransaction });
    await readChain(broken, 'local').catch(() => undefined);
    await expectCredited();
  }, 3));

it('the end of an expired allocation', () =>
  expectEachCall(async (broken) => {
    const address = await world.wallet(accountId);
    const [allocation] = await world.api.database.query<{ id: string }>(
      `update wallet_allocations a set expires_at = now() - interval '1 minute'
         from wallets w where w.id = a.wallet_id and w.address = $1 returning a.id`,
      [address],
    );
    const id = allocation?.id ?? '';
    await advanceAllocation(broken, id).catch(() => undefined);
    expect(await advanceAllocation(world.api.services, id)).toEqual({
      status: 'expired',
      open: false,
      lookAt: null,
    });
    const wallet = await world.api.database.query('select status from wallets where address = $1', [address]);
    expect(wallet).toEqual([{ status: 'quarantined' }]);
  }, 0));
