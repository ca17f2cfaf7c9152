import { operationWith } from '../../chain/gas-station/operations/read';
import { requireNetwork } from '../../chain/networks/operations';
import { fromUnits } from '../../chain/networks/rules';
import { ownAmong, requireWallet } from '../../chain/wallets/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import { type Found, freeName, openTransfer } from '../engine/open';
import { findByRefs, readSituation } from '../engine/read';
import { refsUnshown } from '../engine/tables/on-chain';
import { type Carried, decimalsIn, openingsOf } from './discover';
import { approvedCredit, requireHeld } from './held-credit';
import { chainDepositKind } from './kind';
import type { ChainDeposit, ChainDepositTerms } from './record';
import { amountOf } from './rules';
import { lastSaid, SEEN, stands, TAKEN_BACK, wordOfPeople } from './told';

/** A decision of a person about a deposit. */
interface By {
  reason: string;
  decidedBy: string;
}

type Deps = Pick<Services, 'commands' | 'now'>;

/** A coin to be recorded, and what was recorded under its name before. */
interface Recordable {
  opening: Found<ChainDepositTerms>;
  before: ChainDeposit | undefined;
}

/** A coin as the nodes have proven it, and what a person says that it comes to. */
export interface ToldCoin {
  chain: string;
  amount: Decimal;
  coin: Carried;
}

/**
 * Says what recording a coin would come to; does nothing.
 * @returns `over`: as {@link recordDeposit} takes it
 * @throws Problem as {@link recordDeposit}
 */
export async function weighDeposit(tx: Tx, told: ToldCoin, at: Date) {
  const { opening, before } = await recordable(tx, told, at);
  const { terms, accountId, tenantId } = opening;
  const subject = accountId ?? (await requireWallet(tx, terms)).wallet.id;
  return { amount: terms.amount, currency: terms.asset, subject, tenantId, over: wordOn(before) };
}

/**
 * Records native coin that a contract has passed on to a wallet, which no transaction shows. The deposit is final by that, and credited
 * or kept in suspense in this transaction; one that is to be exchanged, as soon as there is a rate.
 * @param told.over by which word it was taken back before; null: nobody has recorded it
 * @throws Problem
 *   - 400 `amount`: the balances prove another amount, or the ledger cannot hold it
 *   - 400 `txHash`: an address of ours sent the transaction
 *   - 409 `invalid_transition`: the deposit is recorded, was taken back since `over`, or belongs to an operation of ours
 */
export async function recordDeposit(
  services: Deps,
  tx: Tx,
  told: ToldCoin & { over: string | null },
  { reason, decidedBy }: By,
): Promise<ChainDeposit> {
  await requireWallet(tx, { chain: told.chain, address: told.coin.transfer.to }, { lock: true });
  const { opening, before } = await recordable(tx, told, services.now());
  if (wordOn(before) !== told.over) throw saidSince();
  const isAgain = before !== undefined && before.transfer.terms.blockHash === opening.terms.blockHash;
  const deposit = isAgain ? before : await openAnew(services, tx, opening, before);
  const { after } = await decide(services, tx, chainDepositKind, {
    ...{ id: deposit.transfer.id, noun: 'deposit', decidedBy, heard: wordOfPeople },
    judge(locked) {
      if (stands(locked)) throw recorded();
      return [{ kind: SEEN, reason }];
    },
  });
  return after;
}

/** What people have said of it last. */
const wordOn = (deposit: ChainDeposit | undefined): string | null =>
  (deposit && lastSaid(deposit)?.id) ?? null;

/** The deposit of another block stays as it is, and its name is the new one's. */
async function openAnew(
  services: Deps,
  tx: Tx,
  opening: Found<ChainDepositTerms>,
  before: ChainDeposit | undefined,
): Promise<ChainDeposit> {
  const judge = (locked: ChainDeposit) => {
    if (stands(locked) || locked.transfer.partyRef !== opening.partyRef) throw recorded();
  };
  if (before) await freeName(services, tx, chainDepositKind, { id: before.transfer.id, judge });
  const made = await openTransfer(services, tx, chainDepositKind, opening);
  if (!made) throw recorded();
  return made;
}

/**
 * Takes back what people have recorded: what was credited is debited, whatever the balance. The caller has asked the nodes.
 * @param given.word the decision that is meant: recorded again it is another one
 * @throws Problem 404; 409 `invalid_transition` where no person's word stands, or another one by now
 */
export async function takeBackDeposit(
  services: Deps,
  tx: Tx,
  { id, word }: { id: string; word: string | undefined },
  { reason, decidedBy }: By,
): Promise<Decided<ChainDeposit>> {
  return decide(services, tx, chainDepositKind, {
    ...{ id, noun: 'deposit', decidedBy, heard: wordOfPeople },
    judge(deposit) {
      assertRecorded(deposit);
      if (lastSaid(deposit)?.id !== word) throw saidSince();
      return [{ kind: TAKEN_BACK, reason }];
    },
  });
}

/** What a held credit comes to; does nothing. @throws Problem 404; 409 `invalid_transition` where it waits for nobody */
export async function weighCredit(sql: Sql, id: string, at: Date) {
  const deposit = await readSituation(sql, chainDepositKind, id, at);
  const units = requireHeld(deposit);
  const { terms, tenantId } = (deposit as ChainDeposit).transfer;
  return { amount: amountOf(terms, { units }), currency: terms.asset, tenantId, units };
}

/**
 * Lets a held credit pass.
 * @param given.units that were asked for
 * @throws Problem 404; 409 `invalid_transition` where they do not wait
 */
export const creditDeposit = (
  services: Deps,
  tx: Tx,
  { id, units }: { id: string; units: string },
  { reason, decidedBy }: By,
): Promise<Decided<ChainDeposit>> =>
  decide(services, tx, chainDepositKind, {
    ...{ id, noun: 'deposit', decidedBy },
    judge: (deposit) => [approvedCredit(deposit, units, reason)],
  });

/** What would be taken back. @throws Problem as {@link takeBackDeposit} */
export async function toTakeBack(sql: Sql, id: string, at: Date): Promise<ChainDeposit> {
  const deposit = await readSituation(sql, chainDepositKind, id, at);
  if (!deposit) throw notFound('deposit');
  assertRecorded(deposit);
  return deposit;
}

function assertRecorded(deposit: ChainDeposit): void {
  if (lastSaid(deposit)?.kind !== SEEN)
    throw conflict('invalid_transition', 'No word of a person stands that could be taken back.');
}

const recorded = () => conflict('invalid_transition', 'The coin is recorded already.', 'txHash');

const saidSince = () =>
  conflict('invalid_transition', 'Something else was said of it since this was asked for: ask for it again.');

async function recordable(tx: Tx, { chain, amount, coin }: ToldCoin, at: Date): Promise<Recordable> {
  const network = await requireNetwork(tx, chain, 'chain');
  const { from, txHash, units } = coin.transfer;
  if ((await ownAmong(tx, chain, [from])).has(from))
    throw invalid('txHash is of an address of ours: what it sends is no deposit.', 'txHash');
  const operation = await operationWith(tx, chain, txHash);
  if (operation !== undefined)
    throw conflict('invalid_transition', `The transaction is of the operation ${operation}.`, 'txHash');
  const [opening] = (await openingsOf({ now: () => at }, tx, network, [coin])) as [Found<ChainDepositTerms>];
  const proven = fromUnits(units, decimalsIn(network, coin.asset));
  if (!proven.eq(amount))
    throw invalid(`amount must be what the balances prove: ${proven.toFixed()}.`, 'amount');
  const services = { database: tx, now: () => at };
  const ofBlock = await findByRefs(services, chainDepositKind, await refsUnshown(tx, opening.terms));
  if (ofBlock.some(stands)) throw recorded();
  const [before] = await findByRefs(services, chainDepositKind, [opening.partyRef]);
  return { opening, before };
}
