import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/kernel/config/config';
import { Decimal, ZERO } from '../../src/kernel/money/money';
import { TEST_USDT_DECIMALS } from '../../src/startup/embedded/chain/token';
import { type Call, callerOf, type Json, readCredentials } from '../support/api';
import { operatorJson } from '../support/operator';
import { ownTenant } from '../support/tenant';
import { freshAddress, type LocalChain, localChain } from './chain';
import { detail, say, step, unread } from './output';
import { type Receiver, startReceiver } from './receiver';

/**
 * `npm run demo -- sweep` follows money on the chain of a running `npm start`, from the payer's transaction to the
 * treasury. Exits with 1 when the API and the chain disagree.
 */

const CHAIN = 'local';
const PAID = '25';
/** Amount that is paid to the station, and its balance at least. */
const GAS = '0.1';
/**
 * Time limits in milliseconds: of a step that waits for blocks, and of a step that waits for the schedule of each
 * minute.
 */
const BLOCKS_MS = 60_000;
const SCHEDULE_MS = 180_000;

/** @returns whether the API, the webhooks and the chain agree */
export async function sweepDemo(): Promise<boolean> {
  const { dataDir } = readConfig();
  const credentials = readCredentials(dataDir);
  const chain = await localChain(dataDir);
  const tenant = await ownTenant('Demo');
  const client = callerOf(credentials.baseUrl, tenant);
  const admin = callerOf(credentials.baseUrl, credentials.admin);
  const receiver = await startReceiver(tenant, ({ event, data }) => {
    if (event === 'account_transaction')
      detail(`↳ webhook ${event}: ${data['type']}/${data['subtype']} ${data['amount']}`);
  });
  await client('POST', '/v1/webhooks', { url: receiver.url });
  try {
    const { accountId, wallet } = await allocate(client, tenant.clientId);
    await receive(client, chain, receiver, { accountId, wallet });
    const treasury = await prepareStation(admin, chain);
    const before = await chain.usdtOf(treasury);
    const walletId = await release(client, admin, wallet);
    const swept = await followSweep(admin, walletId);
    const isThere = await isInTreasury(chain, treasury, before, swept);
    return (await reconcile()) && isThere && receiver.forged() === 0;
  } finally {
    await client('DELETE', '/v1/webhooks');
    await receiver.close();
  }
}

async function allocate(client: Call, clientId: string): Promise<{ accountId: string; wallet: string }> {
  const { answer } = await operatorJson<{ accountId: string; opened: boolean }>(
    ...['account', 'open', '--client', clientId, '--currency', 'USDT'],
  );
  const { accountId } = answer;
  const { available } = await client('GET', `/v2/accounts/${accountId}/balance`);
  step(
    1,
    `A tenant of this run, ${clientId}: its USDT account ${answer.opened ? 'is opened' : `has ${available}`}`,
  );
  const asked = { chain: CHAIN, asset: 'USDT', accountId, reference: `demo-${randomUUID()}` };
  const { address } = await client('POST', '/v1/wallets/allocate', asked);
  step(2, `Wallet ${address} is allocated to a payer`);
  const again = await client('POST', '/v1/wallets/allocate', asked);
  if (again['address'] !== address) throw new Error('The same reference got another wallet.');
  return { accountId, wallet: address as string };
}

async function receive(
  client: Call,
  chain: LocalChain,
  receiver: Receiver,
  { accountId, wallet }: { accountId: string; wallet: string },
): Promise<void> {
  const opening = await balancesOf(client, accountId);
  const txHash = await chain.pay('USDT', wallet, PAID);
  step(3, `The payer sends ${PAID} USDT: ${txHash}`);
  const claim = { address: wallet, chain: CHAIN, txHash };
  const seen = await client('POST', '/v1/wallets/deposit', claim);
  step(4, `The deposit ${seen['id']} is ${seen['status']}`);
  const credited = await until(BLOCKS_MS, 'the deposit is credited', async () => {
    const deposit = await client('POST', '/v1/wallets/deposit', claim);
    return deposit['status'] === 'confirming' ? undefined : deposit;
  });
  if (credited['status'] !== 'credited') throw new Error(`The deposit is ${credited['status']}.`);
  const now = await until(BLOCKS_MS, 'the webhooks add up to the balance', async () => {
    const balances = await balancesOf(client, accountId);
    return receiver.fold(accountId, opening).available.eq(balances.available) ? balances : undefined;
  });
  if (!now.available.minus(opening.available).eq(PAID))
    throw new Error('The account did not get the paid amount.');
  step(5, `It is ${credited['status']}: the account has ${now.available.toFixed(6)}, as the webhooks say`);
}

async function balancesOf(client: Call, accountId: string) {
  const { available, pending } = await client('GET', `/v2/accounts/${accountId}/balance`);
  return { available: new Decimal(available), pending: new Decimal(pending), spent: ZERO };
}

/** @returns the configured treasury's address, or a new one */
async function prepareStation(admin: Call, chain: LocalChain): Promise<string> {
  const path = `/v1/gas-station/config/${CHAIN}`;
  const { version, treasuryAddress = freshAddress() } = await admin('GET', path);
  const { approvalId } = await admin('PUT', path, {
    gasThreshold: '0.001',
    gasTopupAmount: '0.01',
    minSweepAmount: { USDT: '5' },
    maxGasPrice: '50',
    dailyGasBudget: '1',
    treasuryAddress,
    sweepConfirmations: 2,
    autoSweep: true,
    sweepStrategy: 'transfer',
    version,
  });
  if (approvalId)
    throw new Error(
      `This sandbox has DUAL_CONTROL=on: two operators must approve ${approvalId}, and a new treasury waits 24 hours. ` +
        'Run this demo on a sandbox with DUAL_CONTROL=off.',
    );
  step(6, `The operator configures the gas station: automatic sweeps to ${treasuryAddress}`);
  const { station } = await admin('GET', `/v1/gas-station/status/${CHAIN}`);
  const address = station?.address ?? (await generated(admin));
  step(7, `The station ${address} ${station ? `has ${station.balance} ETH` : 'is made'}`);
  const paid = await chain.pay('ETH', address, GAS);
  await until(BLOCKS_MS, 'the station is paid', () => scanned(admin, paid));
  step(8, `It is paid ${GAS} ETH, found by a scan of the blocks and booked`);
  return treasuryAddress as string;
}

const generated = async (admin: Call): Promise<string> =>
  (await admin('POST', '/v1/gas-station/wallet/generate', { chain: CHAIN }))['address'] as string;

async function scanned(admin: Call, txHash: string): Promise<Json | undefined> {
  await admin('POST', '/v1/gas-station/station-topups/scan', { chain: CHAIN });
  const { data } = await admin('GET', `/v1/gas-station/station-topups?chain=${CHAIN}`);
  return (data as Json[]).find((topup) => topup['txHash'] === txHash);
}

/** @returns the wallet's id */
async function release(client: Call, admin: Call, address: string): Promise<string> {
  await client('POST', '/v1/wallets/release', { chain: CHAIN, address });
  const { data } = await admin('GET', `/v1/gas-station/wallets?chain=${CHAIN}&limit=100`);
  const wallet = (data as Json[]).find((each) => each['address'] === address);
  if (!wallet) throw new Error('The operator does not see the wallet.');
  step(9, `The wallet is released: ${wallet['status']}, so it may be swept`);
  return wallet['id'] as string;
}

/** @returns the ended sweep */
async function followSweep(admin: Call, walletId: string): Promise<Json> {
  step(10, 'The station sweeps every minute, and signs by itself');
  for (const [number, type] of [[11, 'topup'] as const, [12, 'sweep'] as const]) {
    const ended = await until(SCHEDULE_MS, `the ${type} has ended`, async () => {
      const { data } = await admin('GET', `/v1/gas-station/operations/history?chain=${CHAIN}&type=${type}`);
      const found = (data as Json[]).find((operation) => operation['walletId'] === walletId);
      return found && ['completed', 'failed', 'expired'].includes(found['status']) ? found : undefined;
    });
    if (ended['status'] !== 'completed') throw new Error(`The ${type} ${ended['id']} is ${ended['status']}.`);
    const what = type === 'topup' ? 'Top-up' : 'Sweep';
    step(
      number,
      `${what} ${ended['id']}: ${shown(ended['movedAmount'])} ${ended['asset']}, gas ${shown(ended['fee'])}`,
    );
    if (type === 'sweep') return ended;
  }
  throw new Error('There was no sweep.');
}

async function isInTreasury(
  chain: LocalChain,
  treasury: string,
  before: bigint,
  swept: Json,
): Promise<boolean> {
  const came = new Decimal(((await chain.usdtOf(treasury)) - before).toString());
  const amount = came.dividedBy(10 ** TEST_USDT_DECIMALS);
  step(
    13,
    `On the chain the treasury has ${amount.toFixed(6)} USDT more; the API says ${swept['movedAmount']}`,
  );
  // The sweep may include the rest of an earlier run.
  return amount.gte(swept['movedAmount'] as string) && new Decimal(swept['movedAmount'] as string).eq(PAID);
}

/** Waits for open operations, then compares every place on the chain with the books. */
async function reconcile(): Promise<boolean> {
  const isSame = ({ difference }: Json) => Number(difference) === 0;
  const answer = await until(BLOCKS_MS, 'the chain and the books agree', async (isLast) => {
    const found = await operatorJson<Json[]>('chain', 'reconcile', '--chain', CHAIN);
    return found.answer.every(isSame) || isLast ? found.answer : undefined;
  });
  step(14, 'The books and the chain, side by side:');
  for (const { place, asset, reported, booked, known, difference } of answer)
    detail(
      `${place}@${CHAIN}:${asset}  chain ${reported}  books ${booked}  known ${known}  difference ${difference}`,
    );
  say('');
  return answer.every(isSame);
}

const shown = (amount: unknown): string => new Decimal(String(amount)).toFixed();

/** Polls. @throws Error at the time limit */
async function until<Found>(
  patienceMs: number,
  what: string,
  ask: (isLast: boolean) => Promise<Found | undefined>,
): Promise<Found> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    unread.throwIfAborted();
    const isLast = performance.now() > deadline;
    const found = await ask(isLast);
    if (found !== undefined) return found;
    if (isLast) throw new Error(`Timed out waiting until ${what}.`);
    await sleep(500);
  }
}
