import { z } from 'zod';
import { requireHash } from '../../chain/networks/hashes';
import { assetOf, requireNetwork } from '../../chain/networks/operations';
import type { Network } from '../../chain/networks/record';
import { toUnits } from '../../chain/networks/rules';
import { ownerAt, requireWallet } from '../../chain/wallets/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import { amount, assertFits, timestamp } from '../../kernel/wire/schemas';
import { checkedAddress } from '../../parties/chain/addresses';
import { isAsked } from '../../parties/chain/witness';
import type { Services } from '../../services';
import { decide } from '../engine/decide';
import { findByRefs, readSituation } from '../engine/read';
import { decimalsIn, type FoundDeposit, openDeposit } from './discover';
import { chainDepositKind } from './kind';
import { oursAmong } from './own-money';
import { type ChainDeposit, chainDepositRef } from './record';
import { isTold, SEEN, TAKEN_BACK, wordOfPeople } from './told';

/**
 * What a person has seen on a chain that no node is asked about: one transfer to a wallet of the pool, in a block that is there for
 * good.
 */
export const toldDeposit = z.object({
  chain: z.string(),
  address: z.string(),
  /** A symbol of the network. */
  asset: z.string(),
  amount: amount(),
  txHash: z.string(),
  /** Of the log in its transaction's receipt, from 0: a transaction may bring several transfers. */
  ordinal: z.int().min(0).max(100_000),
  /** Who has sent it. */
  from: z.string(),
  blockNumber: z.int().min(0),
  /** The block's time: that says whose the wallet was. */
  blockAt: timestamp(),
});
export type ToldDeposit = z.output<typeof toldDeposit>;

/** A decision of a person about a deposit. */
interface By {
  reason: string;
  decidedBy: string;
}

type Deps = Pick<Services, 'commands' | 'now'>;

/** What is to be recorded, and whose it would be. */
interface Recordable {
  network: Network;
  found: FoundDeposit;
  /** Of an earlier record, which a person has taken back. */
  known: ChainDeposit | undefined;
}

/**
 * How much money it would be, and about what; nothing is done.
 * @throws Problem as {@link recordDeposit}
 */
export async function weighDeposit(
  tx: Tx,
  given: ToldDeposit,
  at: Date,
): Promise<{ amount: Decimal; currency: string; subject: string; tenantId: string | null }> {
  const { network, found } = await recordable(tx, given, at);
  const { block, to: address } = found.transfer;
  const owner = await ownerAt(tx, { chain: network.chain, address, at: block.at });
  const subject = owner?.accountId ?? (await requireWallet(tx, { chain: network.chain, address })).wallet.id;
  return { amount: given.amount, currency: given.asset, subject, tenantId: owner?.tenantId ?? null };
}

/**
 * Records a deposit by a person's word: it is final by that, and credited, or kept in suspense, in this transaction; where it is to be
 * exchanged, as soon as there is a rate. One that was taken back is there again.
 * @throws Problem 404 `chain`, `address`; 400 naming the field; 409 `invalid_transition` for a chain whose nodes are asked, and for a
 *   transfer that is recorded already
 */
export async function recordDeposit(
  services: Deps,
  tx: Tx,
  given: ToldDeposit,
  { reason, decidedBy }: By,
): Promise<ChainDeposit> {
  const { network, found, known } = await recordable(tx, given, services.now());
  const deposit = known ?? (await openDeposit(services, tx, network, found));
  if (!deposit) throw recorded();
  const { after } = await decide(services, tx, chainDepositKind, {
    ...{ id: deposit.transfer.id, noun: 'deposit', decidedBy, heard: wordOfPeople },
    judge(locked) {
      if (isTold(locked)) throw recorded();
      return [{ kind: SEEN, reason }];
    },
  });
  return after;
}

/**
 * Takes back what a person has recorded: what was credited is debited, whatever the balance.
 * @throws Problem 404; 409 `invalid_transition` where no person's word stands
 */
export async function takeBackDeposit(
  services: Deps,
  tx: Tx,
  id: string,
  { reason, decidedBy }: By,
): Promise<ChainDeposit> {
  const { after } = await decide(services, tx, chainDepositKind, {
    ...{ id, noun: 'deposit', decidedBy, heard: wordOfPeople },
    judge(deposit) {
      assertTold(deposit);
      return [{ kind: TAKEN_BACK, reason }];
    },
  });
  return after;
}

/** What would be taken back. @throws Problem as {@link takeBackDeposit} */
export async function toTakeBack(sql: Sql, id: string, at: Date): Promise<ChainDeposit> {
  const deposit = await readSituation(sql, chainDepositKind, id, at);
  if (!deposit) throw notFound('deposit');
  assertTold(deposit);
  return deposit;
}

function assertTold(deposit: ChainDeposit): void {
  if (!isTold(deposit))
    throw conflict('invalid_transition', 'No word of a person stands that could be taken back.');
}

const recorded = () => conflict('invalid_transition', 'The transfer is recorded already.', 'txHash');

async function recordable(tx: Tx, given: ToldDeposit, at: Date): Promise<Recordable> {
  const network = await requireNetwork(tx, given.chain, 'chain');
  if (isAsked(network))
    throw conflict('invalid_transition', `Deposits on ${network.name} are found by its nodes.`, 'chain');
  const { wallet } = await requireWallet(tx, given);
  if (wallet.purpose !== 'pool') throw notFound('wallet', 'address');
  const found = transferOf(network, wallet.address, given, at);
  const { from, txHash } = found.transfer;
  if ((await oursAmong(tx, network.chain, [from])).has(from))
    throw invalid('from is an address of ours: what it sends is no deposit.', 'from');
  const ref = chainDepositRef(network.chain, { txHash, ordinal: given.ordinal });
  const [known] = await findByRefs({ database: tx, now: () => at }, chainDepositKind, [ref]);
  if (known) assertSame(known, found);
  return { network, found, known };
}

function transferOf(network: Network, to: string, given: ToldDeposit, at: Date): FoundDeposit {
  const asset = assetOf(network, given.asset);
  if (!asset) throw invalid('asset must be an asset of the network.', 'asset');
  assertFits(given.amount, asset.symbol);
  const decimals = decimalsIn(network, asset);
  if (given.amount.decimalPlaces() > decimals)
    throw invalid(`amount must have at most ${decimals} decimals.`, 'amount');
  const from = checkedAddress(network.kind, given.from);
  if (from === undefined) throw invalid(`from must be an address of ${network.name}.`, 'from');
  if (given.blockAt > at) throw invalid('blockAt must not be in the future.', 'blockAt');
  const { ordinal, blockNumber: number, blockAt } = given;
  const transfer = {
    ...{ txHash: requireHash(network, given.txHash), ordinal, token: asset.contract, from, to },
    ...{ units: toUnits(given.amount, decimals), block: { number, at: blockAt, hash: null } },
  };
  return { transfer, asset };
}

/** Recorded again it is what it was. */
function assertSame(known: ChainDeposit, { transfer: { to, token, units } }: FoundDeposit): void {
  const { terms } = known.transfer;
  if (isTold(known)) throw recorded();
  if (terms.address !== to || terms.token !== token || terms.units !== units.toString())
    throw conflict(
      'invalid_transition',
      'The transfer was recorded, and taken back, with another address, asset or amount.',
      'txHash',
    );
}
