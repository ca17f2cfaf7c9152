import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid, notFound } from '../../../kernel/errors';
import { checkedAddress } from '../../../parties/chain/addresses';
import { ChainRefused } from '../../../parties/chain/errors';
import type { ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { nodeOf } from '../../networks/nodes/nodes';
import { requireNetwork } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { adoptWallets, findWallet, straysAmong } from '../../wallets/operations';
import { SWEEPABLE, type Wallet } from '../../wallets/record';
import { requireGasConfig } from '../config/operations';
import { awaitsTreasury } from '../config/treasury';
import { createOperation } from '../operations/lifecycle/create';
import { type GasOperation, UNLISTED } from '../operations/record';
import { MAX_RECOVERY_GAS } from '../operations/steps/plan';
import { gasLimitOf, MAX_GAS } from '../rules';
import { isTransferable, type Transfer, transferOf } from '../strategies/transfer';
import { balancesOf } from './after';
import { insertRecovery } from './store';

type Deps = Pick<Services, 'database' | 'keyring' | 'parties'>;

/** A token at an address of ours, as a person names it. */
export interface NamedToken {
  chain: string;
  address: string;
  token: string;
}

/** A balance that can be recovered now, as the chain tells it. */
export interface Recoverable {
  network: Network;
  /** Checksummed. */
  address: string;
  token: string;
  /** The treasury. */
  treasury: string;
  /** Balances that the token's contract tells. */
  units: bigint;
  treasuryUnits: bigint;
  execution: GasOperation['execution'];
}

/**
 * Asks the chain whether a token can be recovered from an address of ours. The address may have been derived for
 * another network. Read-only.
 * @throws Problem
 * - 404 `chain`, `address`; 400 `token`, `address`
 * - 409 `invalid_transition`: no treasury, no balance, or a transfer that would revert, move nothing or need too much gas
 * - 503 while no node answers
 */
export async function recoverable(services: Deps, named: NamedToken): Promise<Recoverable> {
  const { database } = services;
  const { network, node } = await nodeOf(services, database, named.chain);
  const { chain, kind } = network;
  const address = requireAddress(network, named.address, 'address');
  const token = requireAddress(network, named.token, 'token');
  if (network.assets.some(({ contract }) => contract === token))
    throw invalid('token must be a token that the network does not list: a listed one is swept.', 'token');
  await assertOurs(services, chain, address);
  const { autoSweep, ...config } = await requireGasConfig(database, network);
  const { treasuryAddress: treasury } = config;
  if (treasury === null || awaitsTreasury(config))
    throw conflict('invalid_transition', 'The chain has no treasury in force.', 'chain');
  const asked = balancesOf(node, { fromAddress: address, toAddress: treasury, token });
  const { units, treasury: treasuryUnits } = await requireChainAnswer(asked);
  if (units === null || treasuryUnits === null)
    throw invalid(`token must be the contract of a token on ${network.name} (${kind}).`, 'token');
  if (units === 0n) throw conflict('invalid_transition', 'The address has nothing of the token.', 'token');
  const transfer = { wallet: address, token, treasury, units };
  await requireChainAnswer(assertMovable(node, transfer));
  return {
    network,
    address,
    token,
    treasury,
    units,
    treasuryUnits,
    execution: autoSweep ? 'local' : 'manual',
  };
}

function requireAddress({ kind }: Network, text: string, field: string): string {
  const checked = checkedAddress(kind, text);
  if (checked === undefined) throw invalid(`${field} must be an address of the network.`, field);
  return checked;
}

async function assertOurs({ database, keyring }: Deps, chain: string, address: string): Promise<void> {
  const wallet = await findWallet(database, chain, address);
  const isStray = (await straysAmong(database, keyring, chain, [address])).get(address)?.isOurs;
  if (wallet) assertSweepable(wallet);
  else if (!isStray) throw notFound('wallet', 'address');
}

function assertSweepable({ purpose, status }: Wallet): void {
  if (purpose !== 'pool') throw conflict('invalid_transition', 'The wallet is a station.', 'address');
  if (!SWEEPABLE.includes(status))
    throw conflict('invalid_transition', `The wallet is ${status}.`, 'address');
}

/** Simulates the transfer, because the contract of an unlisted token may do anything. */
async function assertMovable(node: ChainNode, transfer: Transfer): Promise<void> {
  if (!(await isTransferable(node, transfer))) throw refusing('would move nothing, or revert');
  const estimate = await gasOf(node, transfer);
  if (estimate === undefined) throw refusing('would revert');
  if ((gasLimitOf(estimate) ?? MAX_GAS) > MAX_RECOVERY_GAS)
    throw refusing(`would use ${estimate} gas, and its limit is ${MAX_RECOVERY_GAS}`);
}

async function gasOf(node: ChainNode, transfer: Transfer): Promise<bigint | undefined> {
  try {
    return await node.estimateGas(transferOf(transfer));
  } catch (error) {
    if (error instanceof ChainRefused) return undefined;
    throw error;
  }
}

const refusing = (why: string) =>
  conflict('invalid_transition', `The token's transfer to the treasury ${why}.`, 'token');

/**
 * Orders the recovery: a sweep of the token that the wallet sends itself, and its record. Adopts an address of another
 * network.
 * @returns the sweep
 * @throws Problem 409 `invalid_transition` when the wallet has an open sweep, or the treasury has changed meanwhile
 */
export async function orderRecovery(
  services: Pick<Services, 'now' | 'commands' | 'keyring'>,
  tx: Tx,
  { network, address, token, treasury, units, treasuryUnits, execution }: Recoverable,
  { decidedBy, reason }: { decidedBy: string; reason: string | null },
): Promise<GasOperation> {
  const { chain } = await requireNetwork(tx, network.chain);
  if (!(await findWallet(tx, chain, address))) await adoptWallets(services, tx, network, [address]);
  const wallet = await requireOwn(tx, chain, address);
  const operation = await createOperation(services, tx, {
    type: 'sweep',
    chain,
    walletId: wallet.id,
    ofStation: false,
    asset: UNLISTED,
    token,
    decimals: 0,
    fromAddress: address,
    stationAddress: null,
    toAddress: treasury,
    units,
    execution,
  });
  await insertRecovery(tx, {
    operationId: operation.id,
    chain,
    walletId: wallet.id,
    address,
    token,
    treasury,
    reason,
    decidedBy,
    unitsBefore: units,
    treasuryBefore: treasuryUnits,
    unitsAfter: null,
    treasuryAfter: null,
    blockNumber: null,
    createdAt: operation.createdAt,
  });
  return operation;
}

async function requireOwn(sql: Sql, chain: string, address: string): Promise<Wallet> {
  const wallet = await findWallet(sql, chain, address);
  if (!wallet) throw notFound('wallet', 'address');
  return wallet;
}
