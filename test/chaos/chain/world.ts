import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { deploymentOf } from '../../../src/chain/gas-station/strategies/delegate';
import type { SweepStrategyName } from '../../../src/chain/gas-station/strategies/port';
import { LOCAL_CHAIN_ID } from '../../../src/startup/embedded/chain/server';
import { TEST_USDT, TEST_USDT_DECIMALS } from '../../../src/startup/embedded/chain/token';
import { takeTurn, temporalAt } from '../../support/outside/temporal-client';
import type { Credential, Fleet } from '../../support/product';
import { type Persistent, persistent } from '../persistent';
import { openPayer, type Payer } from './payer';

/** A payment to a wallet. */
export interface Payment {
  wallet: string;
  /** Amount in the smallest unit of test USDT. */
  units: bigint;
  hash: Hex;
}

/** A tenant's account on the local chain, with a station that sweeps to a treasury, and all other participants. */
export interface ChainWorld {
  client: Persistent;
  admin: Persistent;
  /** Account in USDT. */
  accountId: string;
  treasury: string;
  /** Mnemonic of the seed of all wallets. */
  mnemonic: string;
  payer: Payer;
  /** All payments, in order. */
  paid: Payment[];
  /** Triggers the schedule now when Temporal can be reached. */
  sweepNow(): Promise<void>;
  /** Compares chain and books like the schedule. */
  readNow(): Promise<void>;
  close(): Promise<void>;
}

export const CHAIN = 'local';
export const GAS_CONFIG = `/v1/gas-station/config/${CHAIN}`;

const STATION_HAS = '1';

/**
 * Adds the fleet's local chain as an operator does. The test knows the mnemonic of its wallets.
 * @param rpcUrls addresses at which the product finds the chain
 */
export async function openChainWorld(
  fleet: Fleet,
  credential: Credential,
  rpcUrls: readonly string[] = [fleet.chain.url],
): Promise<ChainWorld> {
  const mnemonic = entropyToMnemonic(randomBytes(32), wordlist);
  const imported = await fleet.operatorReading(mnemonic, 'wallet-seed', 'import');
  assert.equal(imported.code, 0, imported.out);
  const { out } = await fleet.operator(
    ...['account', 'open', '--client', credential.clientId, '--currency', 'USDT', '--json'],
  );
  const temporal = temporalAt(fleet.temporalAddress);
  const payer = await openPayer(fleet.chain.url);
  const world: ChainWorld = {
    client: persistent(fleet, credential),
    admin: persistent(fleet, await fleet.newTenant('admin')),
    accountId: (JSON.parse(out) as { accountId: string }).accountId,
    treasury: privateKeyToAddress(generatePrivateKey()),
    mnemonic,
    payer,
    paid: [],
    sweepNow: () => takeTurn(temporal, 'gas-auto-sweep'),
    readNow: () => takeTurn(temporal, 'chain-reading'),
    async close() {
      await payer.stop();
      await temporal.close();
    },
  };
  await nameNetwork(world, rpcUrls);
  await openStation(world);
  return world;
}

async function nameNetwork({ admin }: ChainWorld, rpcUrls: readonly string[]): Promise<void> {
  const { status, text } = await admin.send(
    'PUT',
    `/v1/networks/${CHAIN}`,
    {
      name: 'Local chain',
      kind: 'evm',
      chainId: LOCAL_CHAIN_ID,
      rpcUrls,
      confirmations: 3,
      enabled: true,
      assets: [
        { symbol: 'USDT', contract: TEST_USDT, decimals: TEST_USDT_DECIMALS, minDeposit: '1' },
        { symbol: 'ETH', decimals: 18, minDeposit: '0.001' },
      ],
      version: 0,
    },
    'chain/network/put',
  );
  assert.equal(status, 200, text);
}

/** Generates and pays a station, and deploys its contract for delegated sweeps. */
async function openStation(world: ChainWorld): Promise<void> {
  const { admin, payer, treasury } = world;
  const path = '/v1/gas-station/wallet/generate';
  const { body } = await admin.send('POST', path, { chain: CHAIN }, 'chain/station/generate');
  await configure(world, { autoSweep: true }, 'chain/station/configure');
  await payer.deploy(deploymentOf({ treasury, station: body.address }));
  const hash = await payer.pay('ETH', body.address, parseEther(STATION_HAS));
  for (let turn = 0; ; turn += 1) {
    const scan = '/v1/gas-station/station-topups/scan';
    await admin.send('POST', scan, { chain: CHAIN }, `chain/station/scan-${turn}`);
    const { data } = await admin.get(`/v1/gas-station/station-topups?chain=${CHAIN}`);
    if (data.some(({ txHash }: { txHash: string }) => txHash === hash)) return;
    if (turn > 1_000) throw new Error('the station was not paid');
  }
}

/** Configures the station, whatever the version of its configuration. */
export async function configure(
  { admin, treasury }: ChainWorld,
  { autoSweep, sweepStrategy = 'transfer' }: { autoSweep: boolean; sweepStrategy?: SweepStrategyName },
  key: string,
): Promise<void> {
  const { version } = await admin.get(GAS_CONFIG);
  const { status, text } = await admin.send(
    'PUT',
    GAS_CONFIG,
    {
      gasThreshold: '0.001',
      gasTopupAmount: '0.002',
      minSweepAmount: { USDT: '1' },
      maxGasPrice: '10000',
      dailyGasBudget: '1000',
      treasuryAddress: treasury,
      sweepConfirmations: 2,
      autoSweep,
      sweepStrategy,
      version,
    },
    key,
  );
  assert.equal(status, 200, text);
}
