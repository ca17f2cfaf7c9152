/** @long */
import type { Address, Hex } from 'viem';
import { openMasterAccount } from '../../../src/accounts/accounts/operations';
import { orderAutoSweeps } from '../../../src/chain/gas-station/auto-sweep';
import { requireNetwork, saveNetwork } from '../../../src/chain/networks/operations';
import { configuredNetworks } from '../../../src/chain/signing/configured';
import { Decimal } from '../../../src/kernel/money/money';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import { newAddress } from '../../parties/chain/raw-contracts';
import type { OperatorAnswer } from '../../support/operator';
import { REASON, type StrayWorld, strayWorld } from './support';

/** Recovery of tokens that no network lists, on a real chain. @long */

let given: StrayWorld;
let token: Hex;
/** An account of the client in USDC, which the network does not list at first. */
let accountId: string;
beforeAll(async () => {
  given = await strayWorld();
  const { account } = await given.world.services.database.transaction((tx) =>
    openMasterAccount(tx, given.client.clientId, 'USDC'),
  );
  accountId = account.id;
  token = await given.world.chain.token();
  await given.read('local');
  await given.world.configure({ autoSweep: true });
});
afterAll(() => given.world.close());

const recover = (address: string, of: string = token) =>
  given.ida('stray', 'recover', '--chain', 'local', '--address', address, '--token', of, ...REASON);
const approve = async (asked: OperatorAnswer) => {
  expect([asked.err, asked.code]).toEqual(['', 0]);
  return given.bob('approval', 'approve', asked.json().approval.id, '--json');
};
async function recovered(address: string, of: string = token): Promise<string> {
  const done = await approve(await recover(address, of));
  expect([done.err, done.code]).toEqual(['', 0]);
  return done.json().result.id;
}
const refusal = ({ err }: OperatorAnswer) => {
  const { code, field, message } = JSON.parse(err);
  return [code, field, message];
};
const listed = async () =>
  (await given.ida('stray', 'list', '--chain', 'local', '--json')).json<Record<string, unknown>[]>();
const balance = (address: string, of: Hex = token) =>
  given.world.chain.client.readContract({
    address: of,
    abi: [
      {
        type: 'function',
        name: 'balanceOf',
        stateMutability: 'view',
        inputs: [{ name: 'of', type: 'address' }],
        outputs: [{ name: '', type: 'uint256' }],
      },
    ] as const,
    functionName: 'balanceOf',
    args: [address as Address],
  });

/** Leads a recovery with its gas, as the schedule would. */
async function lead(id: string) {
  const { world } = given;
  await world.lead(id);
  expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'gas', asset: 'unlisted' });
  expect(await orderAutoSweeps(world.services)).toBe(1);
  const [topup] = await world.services.database.query<{ id: string }>(
    `select id from gas_operations where type = 'topup' order by created_at desc limit 1`,
  );
  expect(await world.lead(topup!.id)).toMatchObject({ status: 'completed' });
  return world.lead(id);
}

const reconciled = () => given.reconciled('local');

let first: string;
let hash: Hex;

it('takes two operators, books the gas alone, and shows the balances before and after', async () => {
  const { world } = given;
  first = (await given.allocate({ accountId })).address;
  hash = await world.chain.pay(token, first, 40n);
  await given.read('local');
  const id = await recovered(first);
  const allowed = async () => [...((await configuredNetworks(world.services.database))[0]?.tokens ?? [])];
  expect(await allowed()).toEqual([world.token, token]);
  expect(await lead(id)).toMatchObject({ status: 'completed' });
  expect(await allowed()).toEqual([world.token]);
  expect([await balance(first), await balance(world.treasury)]).toEqual([0n, 40n]);
  expect(await listed()).toMatchObject([
    {
      id,
      token,
      treasury: world.treasury,
      status: 'completed',
      movedUnits: '40',
      unitsBefore: '40',
      unitsAfter: '0',
      treasuryBefore: '0',
      treasuryAfter: '40',
      decidedBy: 'operator:bob',
      reason: 'the payer has told us',
    },
  ]);
  const story = (await given.ida('show', id, '--json')).json();
  expect(story).toMatchObject({
    what: 'recovery of an unlisted token',
    lists: { related: [{ token, unitsBefore: '40' }, {}] },
  });
  expect(await world.held('treasury', 'USDT')).toBe('0');
  expect(Number(await world.held('gas', 'ETH'))).toBeGreaterThan(0);
  await reconciled();
});

it('refuses what is not there, not ours, listed, or does not move', async () => {
  const { world } = given;
  const none = 'The address has nothing of the token.';
  expect(refusal(await recover(first))).toEqual(['invalid_transition', 'token', none]);
  expect(refusal(await recover(newAddress())).slice(0, 2)).toEqual(['not_found', 'address']);
  expect(refusal(await recover(first, world.token)).slice(0, 2)).toEqual(['invalid_request', 'token']);
  expect(refusal(await recover(first, newAddress())).slice(0, 2)).toEqual(['invalid_request', 'token']);
  for (const code of [RETURNS_FALSE, REVERTS, EATS_GAS]) {
    const lying = newAddress();
    await world.chain.client.setCode({ address: lying, bytecode: code });
    expect(refusal(await recover(first, lying)).slice(0, 2)).toEqual(['invalid_transition', 'token']);
  }
});

/** Tokens that tell two million as each balance. No transfer moves anything. */
const tells = (transfer: string): Hex => `0x36602414600c57${transfer}5b63001e848060005260206000f3`;
const RETURNS_FALSE = tells('60206000f3');
const REVERTS = tells('60006000fd');
const RETURNS_NOTHING = tells('60006000f3');
/** Runs a loop of 60,000 for 1.5 million gas. */
const EATS_GAS: Hex = '0x3660241460185761ea605b6001900380600a5760006000f35b63001e848060005260206000f3';

it('fails plainly when the token only pretends to move, and posts no more than the gas', async () => {
  const { world } = given;
  const lying = newAddress();
  await world.chain.client.setCode({ address: lying, bytecode: RETURNS_NOTHING });
  const { address } = await given.allocate();
  const id = await recovered(address, lying);
  expect(await lead(id)).toMatchObject({ status: 'failed' });
  const [shown] = await listed();
  expect(shown).toMatchObject({ id, status: 'failed', movedUnits: '0', unitsAfter: '2000000' });
  await reconciled();
});

it('is no difference and no second credit when the network lists the token later', async () => {
  const { world, client } = given;
  const { database } = world.services;
  const { address } = await given.allocate({ accountId });
  const left = await world.chain.pay(token, address, 3_000_000n);
  await given.read('local');
  const { version, ...network } = await requireNetwork(database, 'local');
  const rpcUrls = [`${world.chain.url}/`];
  const asset = { symbol: 'USDC', contract: token, decimals: 6, minDeposit: new Decimal('0.000001') };
  const terms = { ...network, rpcUrls, assets: [...network.assets, asset] };
  await database.transaction((tx) => saveNetwork(world.services, tx, 'local', terms, version));
  await reconciled(); // 3 USDC in the pool, and 40 units at the treasury
  for (const [to, txHash] of [
    [address, left],
    [first, hash],
    [address, left],
  ] as const) {
    const claimed = await client.call('POST', '/v1/wallets/deposit', { chain: 'local', address: to, txHash });
    expect([claimed.status, claimed.text]).toEqual([202, expect.anything()]);
    await advance(world.services, chainDepositKind, claimed.body.id);
    await reconciled();
  }
  const rows = await database.query(`select status from transfers where kind = 'chain_deposit'`);
  expect(rows).toEqual([{ status: 'credited' }, { status: 'credited' }]);
  expect((await client.call('GET', `/v2/accounts/${accountId}/balance`)).text).toContain('"3.000040"');
  expect(await database.query('select * from unlisted_tokens where token = $1', [token])).toEqual([]);
  expect(refusal(await recover(address)).slice(0, 2)).toEqual(['invalid_request', 'token']);
});
