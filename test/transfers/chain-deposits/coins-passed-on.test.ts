/** @long */
import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { auditOf } from '../../../src/kernel/audit/audit';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { PASS_ON } from '../../parties/chain/raw-contracts';
import { testKeyring } from '../../support/keyring';
import { type OperatorAnswer, operatorOf, type TestOperator } from '../../support/operator';
import { openWorld, type World } from './support';

/**
 * Native coin that a contract passes on appears in no transaction or log, only in the balances at both ends of its
 * block.
 */

const key = randomBytes(32);
let world: World;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
beforeEach(async () => {
  world = await openWorld({ keyring: testKeyring(key) });
  ida = await operatorOf(world.api, key);
  bob = await operatorOf(world.api, key, {}, 'bob');
});
afterEach(async () => {
  expect(await checkLedger(world.api.database)).toEqual([]);
  await world.close();
});

const ETHER = 10n ** 18n;
const mine = (blocks: number) => world.chain.client.mine({ blocks });

/** Pays one ether by a contract's own call, in a block of its own. */
async function passOn(address: string): Promise<Hex> {
  const payer = await world.chain.deploy('TestPayer');
  const hash = await sendOn(payer, address);
  await world.chain.mined(hash);
  return hash;
}

const sendOn = (payer: Hex, address: string) =>
  world.chain.client.writeContract({
    address: payer,
    abi: PASS_ON,
    functionName: 'passOn',
    args: [address as Hex],
    value: ETHER,
  });

const REASON = ['--reason', 'seen on the explorer', '--json'];
const record = (address: string, amount: string, hash: string) => {
  const terms = ['--chain', 'local', '--address', address, '--amount', amount, '--hash', hash];
  return ida('chain-deposit', 'record', ...terms, ...REASON);
};
const takeBack = (id: string) => ida('chain-deposit', 'take-back', id, ...REASON);
const approvalOf = (asked: OperatorAnswer): string => asked.json().approval.id;
const approve = (id: string, by = bob) => by('approval', 'approve', id, '--json');
const refused = ({ code, err }: OperatorAnswer) => {
  const { code: what, field, message } = JSON.parse(err);
  return [code, what, field, message];
};

/**
 * Records a coin by the request of one operator and the approval of another.
 * @returns the deposit
 */
async function recorded(address: string, amount: string, hash: string): Promise<string> {
  const asked = await record(address, amount, hash);
  expect([asked.code, asked.err]).toEqual([0, '']);
  const done = await approve(approvalOf(asked));
  expect([done.code, done.err]).toEqual([0, '']);
  await world.read();
  return done.json().result.id;
}

const statuses = async () => (await world.deposits()).map(({ status, failure }) => [status, failure]);

/** Ether of the pool that the books lack. */
async function difference(): Promise<string> {
  await world.read();
  const reconciled = await ida('chain', 'reconcile', '--chain', 'local', '--json');
  const lines = reconciled.json<{ place: string; asset: string; difference: string }[]>();
  return lines.find(({ place, asset }) => place === 'pool' && asset === 'ETH')?.difference ?? '0';
}

it('is recorded by two operators with the proof of the balances, and credited', async () => {
  const account = await world.account('ETH');
  const address = await world.wallet(account);
  await world.read();
  const txHash = await passOn(address);
  await mine(3);
  expect([await difference(), await statuses()]).toEqual(['1', []]);

  const asked = await record(address, '1', txHash);
  expect([asked.code, await statuses()]).toEqual([0, []]);
  expect(asked.json().approval.changes).toEqual([
    { field: `account ${account}`, from: null, to: `1.${'0'.repeat(18)} ETH` },
  ]);
  expect((await approve(approvalOf(asked), ida)).code).toBe(4);
  const done = await approve(approvalOf(asked));
  expect(done.code).toBe(0);
  const { id } = done.json().result;
  const [entry] = await auditOf(world.api.database, id, 10);
  expect(entry).toMatchObject({
    action: 'chain-deposit.record',
    after: { txHash, accountId: account, over: null },
  });
  await world.read();

  expect([await statuses(), await world.available(account)]).toEqual([[['credited', null]], '1']);
  expect([await difference(), await world.booked('pool@local:ETH')]).toEqual(['0', '-1']);
  const claim = { chain: 'local', address, txHash };
  const told = await world.client.call('POST', '/v1/wallets/deposit', claim);
  expect([told.status, told.body]).toMatchObject([202, { status: 'credited', asset: 'ETH', txHash }]);
  await world.lookAgain();
  expect(await statuses()).toEqual([['credited', null]]);
  expect(refused(await record(address, '1', txHash))).toEqual([
    ...[4, 'invalid_transition', 'txHash', 'The coin is already recorded.'],
  ]);
});

it('is limited to what the balances prove, less what transactions show', async () => {
  const address = await world.wallet(await world.account('ETH'));
  const payer = await world.chain.deploy('TestPayer');
  await world.read();
  await world.chain.client.setAutomine(false);
  const shown = await world.chain.client.sendTransaction({ to: address as Hex, value: 2n * ETHER });
  const txHash = await sendOn(payer, address);
  const other = await sendOn(payer, world.chain.payer);
  await mine(1);
  await world.chain.client.setAutomine(true);
  expect(refused(await record(address, '1', txHash))[3]).toContain('too few confirmations');
  await mine(3);
  await world.read();
  for (const amount of ['0.5', '3'])
    expect(refused(await record(address, amount, txHash))).toEqual([
      ...[2, 'invalid_request', 'amount', 'amount must be the amount that the balances prove: 1.'],
    ]);
  const unknown = `0x${'12'.repeat(32)}`;
  expect(refused(await record(address, '1', unknown)).slice(0, 3)).toEqual([2, 'invalid_request', 'txHash']);
  const id = await recorded(address, '1', txHash);
  expect((await world.deposits()).map(({ terms }) => [terms['txHash'], terms['amount']])).toEqual([
    [shown, '2'],
    [txHash, '1'],
  ]);
  // The block has no further coin, whichever of its transactions is named.
  expect(refused(await record(address, '1', other))[3]).toBe('The coin is already recorded.');
  expect(refused(await takeBack(id))[3]).toContain('show the coin');
  expect(await difference()).toBe('0');
});

it('is refused when no contract has passed anything on', async () => {
  const address = await world.wallet();
  const hash = await world.chain.pay(null, address, ETHER);
  await mine(3);
  expect(refused(await record(address, '1', hash))[3]).toContain('show no coin');
});

it('is taken back by two once the chain no longer shows it, and recorded again when mined again', async () => {
  const account = await world.account('ETH');
  const address = await world.wallet(account);
  await world.read();
  const payer = await world.chain.deploy('TestPayer');
  const snapshot = await world.chain.client.snapshot();
  const txHash = await sendOn(payer, address);
  const serializedTransaction = await world.chain.signed(txHash);
  await mine(3);
  const id = await recorded(address, '1', txHash);
  await reorganise(snapshot);
  expect((await approve(approvalOf(await takeBack(id)))).code).toBe(0);
  expect([await statuses(), await world.available(account)]).toEqual([
    ...[[['uncredited', 'reversed_on_chain']], '0'],
  ]);
  await world.lookAgain();
  expect(await statuses()).toEqual([['uncredited', 'reversed_on_chain']]);

  await world.chain.client.sendRawTransaction({ serializedTransaction });
  await mine(3);
  await world.read();
  await recorded(address, '1', txHash);
  expect([await statuses(), await world.available(account)]).toEqual([
    ...[
      [
        ['uncredited', 'reversed_on_chain'],
        ['credited', null],
      ],
      '1',
    ],
  ]);
});

/** Reverts the chain and mines other blocks instead. */
async function reorganise(snapshot: Hex): Promise<void> {
  await world.chain.client.revert({ id: snapshot });
  await world.chain.client.increaseTime({ seconds: 60 });
  await mine(8);
}

it('follows a replaced block without a person', async () => {
  const account = await world.account('ETH');
  const address = await world.wallet(account);
  await world.read();
  const snapshot = await world.chain.client.snapshot();
  const txHash = await passOn(address);
  await mine(3);
  await recorded(address, '1', txHash);
  await reorganise(snapshot);
  await world.read();
  await mine(8);
  await world.read();
  expect([await statuses(), await world.available(account)]).toEqual([
    ...[[['uncredited', 'reversed_on_chain']], '0'],
  ]);
});
