import type { Tx } from '../../kernel/db/database';
import { type Decimal, minOf, ZERO } from '../../kernel/money/money';
import { openBreakAgain, openBreaksOf, syncBreaks } from '../../process/breaks/operations';
import type { Break } from '../../process/breaks/record';
import { ledgerAmount } from '../networks/rules';
import type { ChainServices } from '../services';
import type { Wallet } from '../wallets/record';
import { sweepNearest } from './operations/read';

/**
 * Where a sweep has taken money off a wallet that by the books never came: its deposit was taken back afterwards. A person is shown both,
 * until one of them is told otherwise; what comes to the wallet later is other money, and makes nothing good.
 */
const KIND = 'chain_holding_below_zero';

type Deps = Pick<ChainServices, 'heldByBooks' | 'now'>;

/** A deposit that a person has told of. */
export interface ToldToWallet {
  id: string;
  txHash: string;
  /** The contract; null: the native coin. */
  token: string | null;
  /** A currency of the ledger. */
  asset: string;
  decimals: number;
  amount: Decimal;
}

/**
 * Shows what a sweep has taken of a deposit that was taken back. The caller holds the wallet.
 * @param seenAt when it was told of last
 */
export async function showSwept(
  services: Deps,
  tx: Tx,
  wallet: Wallet,
  { seenAt, ...deposit }: ToldToWallet & { seenAt: Date },
): Promise<void> {
  const { id, txHash, asset: currency } = deposit;
  const sweep = await sweepNearest(tx, { ...wallet, token: deposit.token }, seenAt);
  if (!sweep) return;
  // One that has swept before it was told of has taken what was told of in its place before.
  const until = sweep.executedAt >= seenAt ? sweep.executedAt : undefined;
  const short = await shortOf(services, tx, wallet, { ...deposit, until });
  const shown = (await openOf(tx, wallet)).filter((each) => each.currency === currency);
  const unseen = shown.reduce((left, each) => left.minus(each.amount ?? ZERO), short);
  const amount = minOf(unseen, deposit.amount);
  if (!amount.gt(0)) return;
  const detail = `sweep ${sweep.id} has taken deposit ${id} of ${txHash}`;
  await openBreakAgain(tx, { tenantId: null, kind: KIND, subject: wallet.id, detail, amount, currency });
}

/** How much more had been swept by then than had come. */
async function shortOf(
  { heldByBooks }: Deps,
  tx: Tx,
  { chain, address }: Wallet,
  { token, asset, decimals, until }: ToldToWallet & { until: Date | undefined },
): Promise<Decimal> {
  const held = await heldByBooks(tx, chain, [address], until);
  const units = held.find((each) => each.token === token)?.units ?? 0n;
  return ledgerAmount(-units, decimals, asset).amount;
}

/** That sweep was taken back. */
export const passSweep = (
  { now }: Pick<Deps, 'now'>,
  tx: Tx,
  wallet: Wallet,
  sweepId: string,
): Promise<void> => pass(tx, wallet, now(), ({ detail }) => names(detail, sweepId));

/** Of that transaction so much stands again that was brought to the wallet. */
export const passRecorded = (
  { now }: Pick<Deps, 'now'>,
  tx: Tx,
  wallet: Wallet,
  { txHash, asset, amount }: { txHash: string; asset: string; amount: Decimal },
): Promise<void> =>
  pass(
    tx,
    wallet,
    now(),
    (shown) =>
      names(shown.detail, txHash) &&
      shown.currency === asset &&
      shown.amount !== null &&
      amount.gte(shown.amount),
  );

async function pass(tx: Tx, wallet: Wallet, at: Date, hasPassed: (shown: Break) => boolean): Promise<void> {
  const open = (await openOf(tx, wallet)).filter(hasPassed);
  await syncBreaks(tx, { tenantId: null, subject: wallet.id, open, wanted: [], notices: [], at });
}

const openOf = async (tx: Tx, { id }: Wallet): Promise<Break[]> =>
  (await openBreaksOf(tx, id)).filter(({ kind }) => kind === KIND);

const names = (detail: string, named: string): boolean => detail.split(' ').includes(named);
