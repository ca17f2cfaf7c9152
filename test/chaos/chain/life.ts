import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { CardwrightError, until } from '../../../client/src';
import type { SweepStrategyName } from '../../../src/chain/gas-station/strategies/port';
import { fromUnits } from '../../../src/chain/networks/rules';
import { formatAmount } from '../../../src/kernel/money/money';
import { TEST_USDT_DECIMALS } from '../../../src/startup/embedded/chain/token';
import { allOf } from '../pages';
import { type Answer, PATIENCE_MS, type Persistent } from '../persistent';
import { CHAIN, type ChainWorld, configure, type Payment } from './world';

/** Plays money on a chain: three wallets, each paid, credited and emptied in a different way. */

const PAID = { byItself: 25_000_000n, byHand: 12_500_000n, expiring: 6_250_001n };
/** The smallest allowed lifetime. No test waits for its end. */
const TTL_SECONDS = 60;
const AGAIN_MS = 500;

/**
 * Ends when two wallets are swept: one by the service, one by a person. The third expires by itself.
 * @param sweepStrategy in which the service sweeps, where the chain supports it
 * @returns the strategy in which the service has swept
 */
export async function liveOnChain(
  world: ChainWorld,
  name: string,
  sweepStrategy: SweepStrategyName = 'transfer',
): Promise<SweepStrategyName> {
  const key = (step: string) => `chain/${name}/${step}`;
  await configure(world, { autoSweep: false }, key('by-hand'));
  const byItself = await allocate(world, key('by-itself'));
  const byHand = await allocate(world, key('by-hand-wallet'));
  // Paid at once, because everything else may take longer than its lifetime.
  await pay(world, await allocate(world, key('expiring'), TTL_SECONDS), PAID.expiring);

  await pay(world, byItself, PAID.byItself);
  await claim(world, await pay(world, byHand, PAID.byHand), key('claim'));
  await credited(world);

  for (const [step, address] of Object.entries({ byItself, byHand }))
    await release(world, address, key(`release-${step}`));
  await sweptByHand(world, byHand, key);
  await configure(world, { autoSweep: true, sweepStrategy }, key('by-itself-again'));
  return sweptByItself(world, byItself);
}

export async function allocate(
  { client, accountId }: ChainWorld,
  key: string,
  ttl?: number,
): Promise<string> {
  const terms = { chain: CHAIN, asset: 'USDT', accountId, reference: key };
  const asked = { ...terms, ...(ttl === undefined ? {} : { ttlSeconds: ttl }) };
  const { status, body, text } = await client.send('POST', '/v1/wallets/allocate', asked, key);
  assert.equal(status, 201, text);
  return body.address;
}

export const release = ({ client }: ChainWorld, address: string, key: string): Promise<Answer> =>
  client.send('POST', '/v1/wallets/release', { chain: CHAIN, address }, key);

export async function pay({ payer, paid }: ChainWorld, wallet: string, units: bigint): Promise<Payment> {
  const payment = { wallet, units, hash: await payer.pay('USDT', wallet, units) };
  paid.push(payment);
  return payment;
}

/**
 * Reports a payment by its hash until it is credited, because a chain that has lost it does not know it for a while.
 */
async function claim({ client }: ChainWorld, { wallet, hash }: Payment, key: string): Promise<void> {
  const body = { chain: CHAIN, address: wallet, txHash: hash };
  const isCredited = (answer: Answer) => answer.body.status === 'credited';
  await insisting(client, '/v1/wallets/deposit', body, key, isCredited);
}

/** Waits until the account has all payments. */
export async function credited({ client, accountId, paid }: ChainWorld): Promise<void> {
  const all = formatAmount(fromUnits(total(paid), TEST_USDT_DECIMALS), 'USDT');
  await client.get(`/v2/accounts/${accountId}/balance`, ({ available }) => available === all);
}

export const total = (paid: readonly Payment[]): bigint => paid.reduce((sum, { units }) => sum + units, 0n);

/** Plays a person who tops up and sweeps: exports each transaction, signs and sends it, and confirms its hash. */
async function sweptByHand(world: ChainWorld, address: string, key: (step: string) => string): Promise<void> {
  const walletId = await idOf(world, address);
  for (const [path, body] of [
    ['/v1/gas-station/topup-operations', { walletId }],
    ['/v1/gas-station/operations', { walletId, asset: 'USDT' }],
  ] as const) {
    const made = await insisting(world.admin, path, body, key(`make${path}`), ({ status }) => status === 201);
    assert.equal(made.body.execution, 'manual');
    const txHash = world.payer.send(await signed(world, await exported(world, `${path}/${made.body.id}`)));
    const confirm = `${path}/${made.body.id}/confirm`;
    // Confirms again when the chain has lost the transaction.
    const isDone = ({ body: { status } }: Answer) => status === 'completed';
    await insisting(world.admin, confirm, { txHash }, key(`confirm${path}`), isDone);
  }
}

/** The transaction to sign. The product refuses to export it while the chain does not allow it, as after the loss of its newest blocks. */
async function exported({ admin }: ChainWorld, path: string): Promise<Record<string, any>> {
  const read = () =>
    admin.get(`${path}/export`).catch((error: unknown) => {
      if (!(error instanceof CardwrightError && error.answer.status === 409)) throw error;
    });
  const waiting = { patienceMs: PATIENCE_MS, pauseMs: AGAIN_MS };
  return (await until(read, (found) => found !== undefined, waiting)).transactions[0];
}

/** Signs with the sender's key, which is derived from the mnemonic. */
async function signed({ mnemonic }: ChainWorld, exported: Record<string, any>): Promise<Hex> {
  for (let addressIndex = 0; ; addressIndex += 1) {
    const account = mnemonicToAccount(mnemonic, { addressIndex });
    if (account.address !== exported['from'] && addressIndex < 1_000) continue;
    const { chainId, nonce, data } = exported;
    const [value, gas, maxFeePerGas, maxPriorityFeePerGas] = (
      ['value', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const
    ).map((field) => BigInt(exported[field]));
    const prices = { value, gas, maxFeePerGas, maxPriorityFeePerGas };
    return account.signTransaction({ chainId, nonce, data, to: exported['to'] as Address, ...prices });
  }
}

/** Waits for a sweep that the service has ordered. @returns its strategy */
export async function sweptByItself(world: ChainWorld, address: string): Promise<SweepStrategyName> {
  const walletId = await idOf(world, address);
  const deadline = performance.now() + PATIENCE_MS;
  const history = `/v1/gas-station/operations/history?chain=${CHAIN}&type=sweep&walletId=${walletId}`;
  for (;;) {
    const { data } = await world.admin.get(history);
    const swept = data.find(({ status }: { status: string }) => status === 'completed');
    if (swept) return swept.strategy;
    if (performance.now() > deadline) throw new Error(`${address} is not swept: ${JSON.stringify(data)}`);
    await world.sweepNow();
    await sleep(2 * AGAIN_MS);
  }
}

async function idOf({ admin }: ChainWorld, address: string): Promise<string> {
  const wallets = await allOf<{ id: string; address: string }>(
    admin,
    `/v1/gas-station/wallets?chain=${CHAIN}&limit=100`,
  );
  const found = wallets.find((each) => each.address === address);
  if (!found) throw new Error(`the operator is not shown ${address}`);
  return found.id;
}

/** Repeats a refused request like a person, under a new key each time. */
async function insisting(
  persistent: Persistent,
  path: string,
  body: unknown,
  key: string,
  enough: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let turn = 0; ; turn += 1) {
    const answer = await persistent.send('POST', path, body, `${key}-${turn}`);
    if (enough(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`POST ${path} does not come to be: ${answer.text}`);
    await sleep(AGAIN_MS);
  }
}
