import { ledgerAmount } from '../../chain/networks/rules';
import { Decimal, roundTo, ZERO } from '../../kernel/money/money';
import type { WantedBreak } from '../../process/breaks/operations';
import { doorsOf } from '../engine/books/doors';
import { type Credit, inflowPosition } from '../engine/books/inflow';
import type { ComponentTable, Holding } from '../engine/books/position';
import type { NewDecision } from '../engine/kind';
import { type Decision, first, last, type Transition } from '../engine/record';
import {
  type Agreed,
  type ChainDeposit,
  type ChainDepositStatus,
  type ChainDepositTerms,
  type ChainDepositWord,
  poolOf,
} from './record';
import { isTakenBack } from './told';

export type ChainDepositTrigger =
  /** It is final, and is the account's. */
  | 'confirmed'
  /** One that was taken back before it was final is there again. */
  | 'seen_again'
  /** It is final, and nobody's, or too little. */
  | 'withheld'
  /** It was final, and the chain has it no more; or a person has taken back what he has told of it. */
  | 'vanished';

/** What becomes of a deposit on a chain (decisions part 4). One that is in no block any more before it is final waits. */
export const CHAIN_DEPOSIT_TRANSITIONS: readonly Transition<ChainDepositStatus, ChainDepositTrigger>[] = [
  { from: ['confirming'], on: 'confirmed', to: 'credited' },
  { from: ['confirming'], on: 'withheld', to: 'uncredited' },
  { from: ['confirming'], on: 'vanished', to: 'uncredited' },
  { from: ['credited'], on: 'vanished', to: 'uncredited', contradicts: true },
  { from: ['uncredited'], on: 'confirmed', to: 'credited', contradicts: true },
  { from: ['uncredited'], on: 'seen_again', to: 'confirming' },
  // Another reason than before: it is there again, or is there no more.
  { from: ['uncredited'], on: 'withheld', to: 'uncredited' },
  { from: ['uncredited'], on: 'vanished', to: 'uncredited' },
];

export const COMPONENTS = {
  credited: { on: 'client', up: 'deposit/crypto', down: 'withdraw/crypto_reversed' },
  released: { on: 'client', up: 'deposit/crypto', down: 'withdraw/crypto_reversed' },
} as const satisfies ComponentTable;

/** Choices of the system: that it has become final, at what rate; and that what was final is gone. */
const CONFIRMED = 'confirmed';
const VANISHED = 'vanished';

/** A credit above the limit waits for people; and people have let it pass. Each is about so many units. */
export const CREDIT_HELD = 'credit_held';
export const CREDIT_APPROVED = 'credit_approved';

/** The account was closed before the credit, so the money stands in suspense until an operator lets it out. */
export const ACCOUNT_CLOSED = 'account_closed';

/** The units of the newest such decision. */
export const judgedUnits = (deposit: ChainDeposit): string | undefined =>
  unitsOf(last(deposit, CREDIT_HELD, CREDIT_APPROVED));

const unitsOf = (decision: Decision | undefined): string | undefined => {
  const units = decision?.data['units'];
  return typeof units === 'string' ? units : undefined;
};

/** The units that wait for people; nothing where none do. Mined again with others, it is judged anew. */
export function heldCredit(deposit: ChainDeposit): string | undefined {
  const decision = last(deposit, CREDIT_HELD, CREDIT_APPROVED);
  const units = unitsOf(decision);
  const isHeld = decision?.kind === CREDIT_HELD && units === deposit.transfer.word?.units;
  return isHeld && !isConfirmed(deposit) ? units : undefined;
}

/** Of the two the one that counts now. */
const standing = (deposit: ChainDeposit): Decision | undefined => last(deposit, CONFIRMED, VANISHED);

const isConfirmed = (deposit: ChainDeposit): boolean => standing(deposit)?.kind === CONFIRMED;

/** What the ledger has of so many units, in the asset. */
export const amountOf = (
  { decimals, asset }: ChainDepositTerms,
  { units }: Pick<ChainDepositWord, 'units'>,
): Decimal => ledgerAmount(BigInt(units), decimals, asset).amount;

/** A rate is taken once, when it is final for the first time. */
export const needsRate = (deposit: ChainDeposit): boolean => {
  const { asset, accountCurrency } = deposit.transfer.terms;
  return accountCurrency !== null && accountCurrency !== asset && agreedOf(deposit) === undefined;
};

/** It is final, and there was no rate that is fresh enough: nobody's block tells when there is. */
export const waitsForRate = (deposit: ChainDeposit): boolean => {
  const { word } = deposit.transfer;
  return word?.state === 'final' && word.rate === null && needsRate(deposit);
};

/** An account would be credited by what the chain tells now, for the first time. */
export const isDueForCredit = (deposit: ChainDeposit): boolean => {
  const { word, terms, accountId } = deposit.transfer;
  if (word?.state !== 'final' || agreedOf(deposit) !== undefined || waitsForRate(deposit)) return false;
  if (first(deposit, ACCOUNT_CLOSED)) return false;
  const isSomebodys = accountId !== null && terms.accountCurrency !== null;
  return isSomebodys && amountOf(terms, word).gte(terms.minDeposit);
};

export function choose(deposit: ChainDeposit): NewDecision | undefined {
  const { word, terms } = deposit.transfer;
  if (word === null) return undefined;
  const { blockNumber, blockHash } = word;
  const rate = needsRate(deposit) ? word.rate : null;
  if (word.state === 'gone' && isConfirmed(deposit))
    return { kind: VANISHED, data: { blockNumber, blockHash } };
  if (word.state !== 'final' || isConfirmed(deposit) || waitsForRate(deposit)) return undefined;
  if (heldCredit(deposit) !== undefined) return undefined;
  const data = { blockNumber, blockHash, ...(rate === null ? {} : { rate: rate.toFixed() }) };
  return { kind: CONFIRMED, amount: amountOf(terms, word), currency: terms.asset, data };
}

/** Nothing until it was final: what is credited stays what was confirmed first, however often it comes back. */
export function agreedOf(deposit: Pick<ChainDeposit, 'decisions'>): Agreed | undefined {
  const decision = first(deposit, CONFIRMED);
  const rate = decision?.data['rate'];
  return (
    decision && { amount: decision.amount ?? ZERO, rate: typeof rate === 'string' ? new Decimal(rate) : null }
  );
}

/** What the account gets, in its currency: rounded down, for the rest is what it was exchanged at. */
export function creditOf(deposit: ChainDeposit): Credit | null {
  const agreed = agreedOf(deposit);
  const { accountId, terms } = deposit.transfer;
  const { asset, accountCurrency, minDeposit } = terms;
  if (!agreed || accountId === null || accountCurrency === null || agreed.amount.lt(minDeposit)) return null;
  if (first(deposit, ACCOUNT_CLOSED)) return null;
  const credited =
    agreed.rate === null
      ? agreed.amount
      : roundTo(agreed.amount.times(agreed.rate), accountCurrency, Decimal.ROUND_DOWN);
  if (!credited.gt(0)) return null;
  const base = { amount: agreed.amount, currency: asset };
  return { account: accountId, base, credited, fee: ZERO, currency: accountCurrency };
}

export function trigger(deposit: ChainDeposit): ChainDepositTrigger | undefined {
  const stands = standing(deposit);
  // What nodes do not find is waited for: it may be mined again. What people take back has ended.
  if (!stands && isTakenBack(deposit)) return uncreditedBy(deposit, 'vanished');
  if (!stands) return deposit.transfer.status === 'uncredited' ? 'seen_again' : undefined;
  const isCredited = stands.kind === CONFIRMED && creditOf(deposit) !== null;
  if (isCredited) return creditedBy(deposit, stands);
  return uncreditedBy(deposit, stands.kind === CONFIRMED ? 'withheld' : 'vanished');
}

/** Nothing for one that is uncredited for that reason already. */
function uncreditedBy<On extends ChainDepositTrigger>(deposit: ChainDeposit, on: On): On | undefined {
  const { status, failure: reason } = deposit.transfer;
  return status === 'uncredited' && reason === failure(deposit, on) ? undefined : on;
}

function creditedBy(deposit: ChainDeposit, stands: Decision): ChainDepositTrigger | undefined {
  const { status } = deposit.transfer;
  if (status === 'credited') return undefined;
  // Nothing was final before: no word contradicts another.
  return status === 'uncredited' && stands === first(deposit, CONFIRMED) ? 'seen_again' : 'confirmed';
}

export function failure(deposit: ChainDeposit, on: string): string | null {
  const { accountId } = deposit.transfer;
  if (on === 'confirmed' || on === 'seen_again') return null;
  if (on === 'vanished') return 'reversed_on_chain';
  if (first(deposit, ACCOUNT_CLOSED)) return 'account_closed';
  return accountId === null ? 'not_allocated' : 'below_minimum';
}

/** What the chain has given for good stands in the pool: the account's part is credited, the rest is in suspense. */
export function position(deposit: ChainDeposit): Holding[] {
  const { word, terms } = deposit.transfer;
  if (word === null || agreedOf(deposit) === undefined) return [];
  return inflowPosition({
    received: isConfirmed(deposit) ? [{ amount: amountOf(terms, word), currency: terms.asset }] : [],
    backs: [],
    credit: creditOf(deposit),
    doors: doorsOf(deposit.decisions),
    party: poolOf(terms),
  });
}

/** The chain is waited for: a block that is deep enough, or whether it comes back. */
export function isOpen(deposit: ChainDeposit): boolean {
  const { word } = deposit.transfer;
  if (word === null) return true;
  return word.state === 'final' ? !isConfirmed(deposit) : word.state !== 'gone';
}

/** Mined again, a contract may have paid something else: what was agreed is credited, and a person sees the difference. */
export function notices({ transfer: { word, terms } }: ChainDeposit): WantedBreak[] {
  if (word === null || word.units === terms.units) return [];
  const { asset: currency } = terms;
  return [{ kind: 'chain_deposit_changed', detail: word.blockHash, amount: amountOf(terms, word), currency }];
}
