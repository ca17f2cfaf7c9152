import type { Sql, Tx } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import type { Network } from '../../../networks/record';
import { findWallet, findWalletById, findWallets, lockWallets } from '../../../wallets/operations';
import { SWEEPABLE, type Wallet } from '../../../wallets/record';
import { lockGasConfig } from '../../config/operations';
import type { GasConfig } from '../../config/record';
import { awaitsTreasury } from '../../config/treasury';
import type { GasOperation } from '../record';
import { senderOf } from '../rules';
import { membersOf } from '../store';

type Ordered = Pick<GasOperation, 'type' | 'ofStation' | 'fromAddress' | 'stationAddress' | 'toAddress'>;

/** Facts that people may change after an operation was ordered. */
interface Facts {
  operation: Ordered;
  config: GasConfig;
  /**
   * The operation's wallet and its signer's. Undefined when the check does not need them, or when they are not ours.
   */
  wallet?: Wallet | undefined;
  sender?: Wallet | undefined;
}

const isSweep = ({ operation: { type } }: Pick<Facts, 'operation'>): boolean => type === 'sweep';
const mayBeSwept = (wallet: Wallet | undefined): boolean =>
  wallet !== undefined && SWEEPABLE.includes(wallet.status);

/** The conditions of a step, by name. */
const GUARDS = {
  autoSweep: ({ config }) => config.autoSweep,
  treasury: (facts) => !isSweep(facts) || facts.operation.toAddress === facts.config.treasuryAddress,
  noNextTreasury: (facts) => !isSweep(facts) || !awaitsTreasury(facts.config),
  station({ operation: { type, fromAddress, stationAddress }, config }) {
    const station = type === 'topup' ? fromAddress : stationAddress;
    return station === null || station === config.stationAddress;
  },
  formerStation: ({ operation: { ofStation, fromAddress }, config }) =>
    !ofStation || fromAddress !== config.stationAddress,
  wallet: (facts) =>
    isSweep(facts) ? mayBeSwept(facts.wallet) : (facts.wallet?.status ?? 'disabled') !== 'disabled',
  sender: ({ sender }) => sender?.status !== 'disabled',
} as const satisfies Record<string, (facts: Facts) => boolean>;

const AT_ORDER = {
  treasury: 'The treasury has been changed meanwhile: order it again.',
  station: 'The station has been changed meanwhile: order it again.',
  formerStation: 'The wallet is the station.',
};

/** Conditions at an order and at an export, with the message of each refusal. */
const REFUSALS = {
  order: AT_ORDER,
  automatic_order: { ...AT_ORDER, autoSweep: 'Automatic sweeps were switched off meanwhile.' },
  export: { formerStation: 'The wallet is the station.' },
} satisfies Record<string, Partial<Record<keyof typeof GUARDS, string>>>;

/**
 * Refuses an operation whose configuration has changed since the order. The configuration stays locked.
 * @throws Problem 409 `invalid_transition`
 */
export async function assertGuards(
  tx: Tx,
  network: Network,
  operation: Ordered,
  moment: keyof typeof REFUSALS,
): Promise<void> {
  const config = await lockGasConfig(tx, network);
  for (const [guard, refusal] of Object.entries(REFUSALS[moment]))
    if (!GUARDS[guard as keyof typeof GUARDS]({ operation, config }))
      throw conflict('invalid_transition', refusal, 'walletId');
}

/** Whether any guard stops the operation. Asked until it is handed to the chain. */
export async function isStopped(sql: Sql, operation: GasOperation, config: GasConfig): Promise<boolean> {
  const wallet = await findWalletById(sql, operation.walletId);
  const address = senderOf(operation);
  const sender = wallet?.address === address ? wallet : await findWallet(sql, operation.chain, address);
  return Object.values(GUARDS).some((holds) => !holds({ operation, config, wallet, sender }));
}

/** Lists the sweeps whose wallets may still be swept. */
export async function stillSweepable(sql: Sql, operations: readonly GasOperation[]): Promise<GasOperation[]> {
  if (operations.length === 0) return [];
  const wallets = await findWallets(
    sql,
    operations.map(({ walletId }) => walletId),
  );
  const ids = new Set(wallets.filter(mayBeSwept).map(({ id }) => id));
  return operations.filter(({ walletId }) => ids.has(walletId));
}

/**
 * {@link isStopped} for an operation and its batch directly before the broadcast, under locks. A change of the
 * configuration or a wallet either commits before, and stops the operation, or waits until the broadcast is noted. The
 * caller holds the operation's lock.
 */
export async function isStoppedNow(tx: Tx, network: Network, operation: GasOperation): Promise<boolean> {
  const members = await membersOf(tx, operation);
  const sender = await findWallet(tx, operation.chain, senderOf(operation));
  const swept = [operation, ...members].map(({ walletId }) => walletId);
  await lockWallets(tx, sender ? [...swept, sender.id] : swept);
  const config = await lockGasConfig(tx, network);
  if (await isStopped(tx, operation, config)) return true;
  return (await stillSweepable(tx, members)).length < members.length;
}
