import { randomUUID } from 'node:crypto';
import {
  agrees,
  type Balances,
  type Cardwright,
  cardwright,
  fold,
  type ItemOf,
  until,
} from '../../client/src';
import { readConfig } from '../../src/kernel/config/config';
import { Decimal } from '../../src/kernel/money/money';
import { TEST_USDT_DECIMALS } from '../../src/startup/embedded/chain/token';
import { readCredentials } from '../support/api';
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
const WAITING = { patienceMs: BLOCKS_MS, pauseMs: 500, signal: unread };

/** @returns whether the API, the webhooks and the chain agree */
export async function sweepDemo(): Promise<boolean> {
  const { dataDir } = readConfig();
  const credentials = readCredentials(dataDir);
  const chain = await localChain(dataDir);
  const tenant = await ownTenant('Demo');
  const { baseUrl } = credentials;
  const client = cardwright({ baseUrl, ...tenant });
  const admin = cardwright({ baseUrl, ...credentials.admin });
  const receiver = await startReceiver(tenant, ({ event, data }) => {
    if (event === 'account_transaction')
      detail(`↳ webhook ${event}: ${data.type}/${data.subtype} ${data.amount}`);
  });
  await client.setWebhook({ body: { url: receiver.url } });
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
    await client.deleteWebhook();
    await receiver.close();
  }
}

async function allocate(
  client: Cardwright,
  clientId: string,
): Promise<{ accountId: string; wallet: string }> {
  const { answer } = await operatorJson<{ accountId: string; opened: boolean }>(
    ...['account', 'open', '--client', clientId, '--currency', 'USDT'],
  );
  const { accountId } = answer;
  const { available } = await client.getAccountBalance({ path: { accountId } });
  step(
    1,
    `A tenant of this run, ${clientId}: its USDT account ${answer.opened ? 'is opened' : `has ${available}`}`,
  );
  const body = { chain: CHAIN, asset: 'USDT', accountId, reference: `demo-${randomUUID()}` };
  const { address } = await client.allocateWallet({ body });
  step(2, `Wallet ${address} is allocated to a payer`);
  const again = await client.allocateWallet({ body });
  if (again.address !== address) throw new Error('The same reference got another wallet.');
  return { accountId, wallet: address };
}

async function receive(
  client: Cardwright,
  chain: LocalChain,
  receiver: Receiver,
  { accountId, wallet }: { accountId: string; wallet: string },
): Promise<void> {
  const opening = await balancesOf(client, accountId);
  const txHash = await chain.pay('USDT', wallet, PAID);
  step(3, `The payer sends ${PAID} USDT: ${txHash}`);
  const claim = () => client.confirmChainDeposit({ body: { address: wallet, chain: CHAIN, txHash } });
  const { id, status } = await claim();
  step(4, `The deposit ${id} is ${status}`);
  const credited = await until(claim, (deposit) => deposit.status !== 'confirming', WAITING);
  if (credited.status !== 'credited') throw new Error(`The deposit is ${credited.status}.`);
  const now = await until(
    () => balancesOf(client, accountId),
    (balances) => agrees(fold(receiver.events(), { [accountId]: opening }).get(accountId), balances),
    WAITING,
  );
  if (!new Decimal(now.available).minus(opening.available).eq(PAID))
    throw new Error('The account did not get the paid amount.');
  step(5, `It is ${credited.status}: the account has ${now.available}, as the webhooks say`);
}

async function balancesOf(client: Cardwright, accountId: string): Promise<Omit<Balances, 'spent'>> {
  const { available, pending } = await client.getAccountBalance({ path: { accountId } });
  return { available, pending };
}

/** @returns the configured treasury's address, or a new one */
async function prepareStation(admin: Cardwright, chain: LocalChain): Promise<string> {
  const path = { chain: CHAIN };
  const { version, treasuryAddress = freshAddress() } = await admin.getGasConfig({ path });
  const answer = await admin.updateGasConfig({
    path,
    body: {
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
    },
  });
  if ('approvalId' in answer)
    throw new Error(
      `This sandbox has DUAL_CONTROL=on: two operators must approve ${answer.approvalId}, and a new treasury waits 24 hours. ` +
        'Run this demo on a sandbox with DUAL_CONTROL=off.',
    );
  step(6, `The operator configures the gas station: automatic sweeps to ${treasuryAddress}`);
  const { station } = await admin.getGasStationStatus({ path });
  const { address } = station ?? (await admin.generateGasStation({ body: path }));
  step(7, `The station ${address} ${station ? `has ${station.balance} ETH` : 'is made'}`);
  const paid = await chain.pay('ETH', address, GAS);
  await until(
    () => topupsAfterScan(admin),
    (found) => found.some(({ txHash }) => txHash === paid),
    WAITING,
  );
  step(8, `It is paid ${GAS} ETH, found by a scan of the blocks and booked`);
  return treasuryAddress;
}

async function topupsAfterScan(admin: Cardwright) {
  await admin.scanStationTopups({ body: { chain: CHAIN } });
  return (await admin.listStationTopups({ query: { chain: CHAIN } })).data;
}

/** @returns the wallet's id */
async function release(client: Cardwright, admin: Cardwright, address: string): Promise<string> {
  await client.releaseWallet({ body: { chain: CHAIN, address } });
  for await (const wallet of admin.each('listPoolWallets', { query: { chain: CHAIN } })) {
    if (wallet.address !== address) continue;
    step(9, `The wallet is released: ${wallet.status}, so it may be swept`);
    return wallet.id;
  }
  throw new Error('The operator does not see the wallet.');
}

type Operation = ItemOf<'listGasOperations'>;

/** @returns the ended sweep */
async function followSweep(admin: Cardwright, walletId: string): Promise<Operation> {
  step(10, 'The station sweeps every minute, and signs by itself');
  await ended(admin, walletId, 11, 'topup');
  return ended(admin, walletId, 12, 'sweep');
}

async function ended(
  admin: Cardwright,
  walletId: string,
  number: number,
  type: 'topup' | 'sweep',
): Promise<Operation> {
  const operation = await until(
    async () => {
      const { data } = await admin.listGasOperations({ query: { chain: CHAIN, type } });
      return data.find((each) => each.walletId === walletId);
    },
    (found) => found !== undefined && ['completed', 'failed', 'expired'].includes(found.status),
    { ...WAITING, patienceMs: SCHEDULE_MS },
  );
  if (operation?.status !== 'completed')
    throw new Error(`The ${type} ${operation?.id} is ${operation?.status}.`);
  const what = type === 'topup' ? 'Top-up' : 'Sweep';
  const { id, movedAmount, asset, fee } = operation;
  step(number, `${what} ${id}: ${shown(movedAmount)} ${asset}, gas ${shown(fee)}`);
  return operation;
}

async function isInTreasury(
  chain: LocalChain,
  treasury: string,
  before: bigint,
  { movedAmount = '0' }: Operation,
): Promise<boolean> {
  const came = new Decimal(((await chain.usdtOf(treasury)) - before).toString());
  const amount = came.dividedBy(10 ** TEST_USDT_DECIMALS);
  step(13, `On the chain the treasury has ${amount.toFixed(6)} USDT more; the API says ${movedAmount}`);
  // The sweep may include the rest of an earlier run.
  return amount.gte(movedAmount) && new Decimal(movedAmount).eq(PAID);
}

interface Compared {
  place: string;
  asset: string;
  reported: string;
  booked: string;
  known: string;
  difference: string;
}

/** Waits for open operations, then compares every place on the chain with the books. */
async function reconcile(): Promise<boolean> {
  const isSame = ({ difference }: Compared) => Number(difference) === 0;
  const deadline = Date.now() + BLOCKS_MS;
  const answer = await until(
    async () => (await operatorJson<Compared[]>('chain', 'reconcile', '--chain', CHAIN)).answer,
    (compared) => compared.every(isSame) || Date.now() > deadline,
    WAITING,
  );
  step(14, 'The books and the chain, side by side:');
  for (const { place, asset, reported, booked, known, difference } of answer)
    detail(
      `${place}@${CHAIN}:${asset}  chain ${reported}  books ${booked}  known ${known}  difference ${difference}`,
    );
  say('');
  return answer.every(isSame);
}

const shown = (amount: unknown): string => new Decimal(String(amount)).toFixed();
