import { ledgerAmount } from '../../chain/networks/rules';
import { Decimal, roundTo, ZERO } from '../../kernel/money/money';
import type { WantedBreak } from '../../process/breaks/operations';
import { type Credit, inflowPosition } from '../engine/books/inflow';
import type { ComponentTable, Holding } from '../engine/books/position';
import { resolutionsOf } from '../engine/books/resolutions';
import type { NewDecision } from '../engine/kind';
import { type Decision, first, last, type Transition } from '../engine/record';
import { SCREENING_CLEARED, SCREENING_REFUSED, SCREENING_WAITS } from '../screening/record';
import {
  type Agreed,
  type ChainDeposit,
  type ChainDepositFailure,
  type ChainDepositStatus,
  type ChainDepositTerms,
  type ChainDepositWord,
  dataOnScreening,
  poolOf,
  refusalIn,
} from './record';
import { isTakenBack } from './word-of-people';

export type ChainDepositTrigger =
  /** Final, and credited to its account. */
  | 'confirmed'
  /** Back in a block after it was taken back before being final. */
  | 'seen_again'
  /** Refused by the screening, and cleared by people. */
  | 'cleared'
  /** Final without an owner, or below the minimum. */
  | 'withheld'
  /** Final once and no longer on the chain, or taken back by people. */
  | 'vanished';

/** The states of a deposit on a chain (decisions part 4). A deposit that loses its block before it is final waits. */
export const CHAIN_DEPOSIT_TRANSITIONS: readonly Transition<ChainDepositStatus, ChainDepositTrigger>[] = [
  { from: ['confirming'], on: 'confirmed', to: 'credited' },
  { from: ['confirming'], on: 'withheld', to: 'uncredited' },
  { from: ['confirming'], on: 'vanished', to: 'uncredited' },
  { from: ['credited'], on: 'vanished', to: 'uncredited', contradicts: true },
  { from: ['uncredited'], on: 'confirmed', to: 'credited', contradicts: true },
  { from: ['uncredited'], on: 'seen_again', to: 'confirming' },
  { from: ['uncredited'], on: 'cleared', to: 'credited' },
  // Changes the reason: the deposit is back, or gone again.
  { from: ['uncredited'], on: 'withheld', to: 'uncredited' },
  { from: ['uncredited'], on: 'vanished', to: 'uncredited' },
];

export const COMPONENTS = {
  credited: { on: 'client', up: 'deposit/crypto', down: 'withdraw/crypto_reversed' },
  released: { on: 'client', up: 'deposit/crypto', down: 'withdraw/crypto_reversed' },
} as const satisfies ComponentTable;

/** Choices of the system: the deposit is final, at a rate; and a final one is gone. */
const CONFIRMED = 'confirmed';
const VANISHED = 'vanished';

/** Decisions on a credit above the limit: held for approval, and approved. Each names its units. */
export const CREDIT_HELD = 'credit_held';
export const CREDIT_APPROVED = 'credit_approved';

/** The account was closed before the credit. The money stands in suspense until an operator releases it. */
export const ACCOUNT_CLOSED = 'account_closed';

/** Units of the latest such decision. */
export const judgedUnits = (deposit: ChainDeposit): string | undefined =>
  unitsOf(last(deposit, CREDIT_HELD, CREDIT_APPROVED));

const unitsOf = (decision: Decision | undefined): string | undefined => {
  const units = decision?.data['units'];
  return typeof units === 'string' ? units : undefined;
};

/**
 * Units that wait for approval. Undefined when none do. Other units after a reorganisation are judged anew. A refused
 * deposit gets no credit, and two people have decided on a cleared one.
 */
export function heldCredit(deposit: ChainDeposit): string | undefined {
  if (isRefusedByScreening(deposit) || isClearedByPeople(deposit)) return undefined;
  const decision = last(deposit, CREDIT_HELD, CREDIT_APPROVED);
  const units = unitsOf(decision);
  const isHeld = decision?.kind === CREDIT_HELD && units === deposit.transfer.word?.units;
  return isHeld && !isConfirmed(deposit) ? units : undefined;
}

/** The latest of the two choices. */
const standing = (deposit: ChainDeposit): Decision | undefined => last(deposit, CONFIRMED, VANISHED);

export const isConfirmed = (deposit: ChainDeposit): boolean => standing(deposit)?.kind === CONFIRMED;

/** The ledger's amount of units, in the asset. */
export const amountOf = (
  { decimals, asset }: ChainDepositTerms,
  { units }: Pick<ChainDepositWord, 'units'>,
): Decimal => ledgerAmount(BigInt(units), decimals, asset).amount;

/** Whether a rate is still to be taken. It is taken once, when the deposit is first final. */
export const needsRate = (deposit: ChainDeposit): boolean => {
  const { asset, accountCurrency } = deposit.transfer.terms;
  return accountCurrency !== null && accountCurrency !== asset && agreedOf(deposit) === undefined;
};

/**
 * Whether the deposit is final and no rate was fresh enough. No block reports the next rate, so the deposit is polled.
 */
export const waitsForRate = (deposit: ChainDeposit): boolean => {
  const { word } = deposit.transfer;
  return word?.state === 'final' && word.rate === null && needsRate(deposit);
};

/** The latest decision on the screening: a refusal, or what two operators have cleared. */
const screeningDecision = (deposit: Pick<ChainDeposit, 'decisions'>): Decision | undefined =>
  last(deposit, SCREENING_REFUSED, SCREENING_CLEARED);

/**
 * Whether the deposit was refused before it was booked: by the screening party, or by an operator in its place. The money
 * stands in suspense until people decide.
 */
export const isRefusedByScreening = (deposit: Pick<ChainDeposit, 'decisions'>): boolean =>
  screeningDecision(deposit)?.kind === SCREENING_REFUSED;

/** Whether two operators have cleared the present amount. Another amount after a reorganisation is screened anew. */
export const isClearedByPeople = (deposit: ChainDeposit): boolean => {
  const decision = screeningDecision(deposit);
  return decision?.kind === SCREENING_CLEARED && unitsOf(decision) === deposit.transfer.word?.units;
};

/** Whether neither the screening party nor people have decided on the present amount. */
export const isScreeningOpen = (deposit: ChainDeposit): boolean => {
  const { word } = deposit.transfer;
  const isPending = word?.screening?.status === 'pending' && word.state !== 'gone';
  return isPending && !isClearedByPeople(deposit) && !isRefusedByScreening(deposit);
};

/** Whether the deposit is final and waits to be booked for its screening. The deposit is polled, beside the party's reports. */
export const waitsForScreening = (deposit: ChainDeposit): boolean =>
  deposit.transfer.word?.state === 'final' && isScreeningOpen(deposit) && !isConfirmed(deposit);

/** Whether the screening party refuses a deposit that is to be booked, and no decision is noted. */
const isToBeRefused = (deposit: ChainDeposit): boolean => {
  const { word } = deposit.transfer;
  const isRefused = word?.state === 'final' && word.screening?.status === 'refused';
  const isDecided = isRefusedByScreening(deposit) || isClearedByPeople(deposit);
  return isRefused && !isConfirmed(deposit) && !isDecided;
};

/** Whether the present word credits an account for the first time. */
export const isDueForCredit = (deposit: ChainDeposit): boolean => {
  const { word, terms, accountId } = deposit.transfer;
  if (word?.state !== 'final' || agreedOf(deposit) !== undefined || waitsForRate(deposit)) return false;
  if (waitsForScreening(deposit) || isToBeRefused(deposit) || isRefusedByScreening(deposit)) return false;
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
  if (word.state !== 'final' || isConfirmed(deposit)) return undefined;
  // A refusal needs no rate. The booking in suspense waits for one, because people may clear the deposit.
  if (isToBeRefused(deposit)) return { kind: SCREENING_REFUSED, data: dataOnScreening(word) };
  if (waitsForRate(deposit)) return undefined;
  if (waitsForScreening(deposit) || heldCredit(deposit) !== undefined) return undefined;
  const data = { blockNumber, blockHash, ...(rate === null ? {} : { rate: rate.toFixed() }) };
  return { kind: CONFIRMED, amount: amountOf(terms, word), currency: terms.asset, data };
}

/** Undefined before the deposit was final. The first confirmation stays agreed, however often the deposit returns. */
export function agreedOf(deposit: Pick<ChainDeposit, 'decisions'>): Agreed | undefined {
  const decision = first(deposit, CONFIRMED);
  const rate = decision?.data['rate'];
  return (
    decision && { amount: decision.amount ?? ZERO, rate: typeof rate === 'string' ? new Decimal(rate) : null }
  );
}

/** The account's credit in its currency, rounded down. Null when nothing is credited. */
export function creditOf(deposit: ChainDeposit): Credit | null {
  const agreed = agreedOf(deposit);
  const { accountId, terms } = deposit.transfer;
  const { asset, accountCurrency, minDeposit } = terms;
  if (!agreed || accountId === null || accountCurrency === null || agreed.amount.lt(minDeposit)) return null;
  if (first(deposit, ACCOUNT_CLOSED) || isRefusedByScreening(deposit)) return null;
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
  // A transaction that nodes do not find may be mined again. A coin that people take back has ended.
  if (!stands && isTakenBack(deposit)) return uncreditedBy(deposit, 'vanished');
  if (!stands) return deposit.transfer.status === 'uncredited' ? 'seen_again' : undefined;
  const isCredited = stands.kind === CONFIRMED && creditOf(deposit) !== null;
  if (isCredited) return creditedBy(deposit, stands);
  return uncreditedBy(deposit, stands.kind === CONFIRMED ? 'withheld' : 'vanished');
}

/** Undefined when the deposit is uncredited for that reason already. */
function uncreditedBy<On extends ChainDepositTrigger>(deposit: ChainDeposit, on: On): On | undefined {
  const { status, failure: reason } = deposit.transfer;
  return status === 'uncredited' && reason === failure(deposit, on) ? undefined : on;
}

function creditedBy(deposit: ChainDeposit, stands: Decision): ChainDepositTrigger | undefined {
  const { status, failure: reason } = deposit.transfer;
  if (status === 'credited') return undefined;
  if (status === 'uncredited' && reason === SCREENING_REFUSED) return 'cleared';
  // The deposit was never final before, so no word contradicts another.
  return status === 'uncredited' && stands === first(deposit, CONFIRMED) ? 'seen_again' : 'confirmed';
}

export function failure(deposit: ChainDeposit, on: string): ChainDepositFailure | null {
  const { accountId, terms } = deposit.transfer;
  if (on === 'confirmed' || on === 'seen_again' || on === 'cleared') return null;
  if (on === 'vanished') return 'reversed_on_chain';
  if (isRefusedByScreening(deposit)) return SCREENING_REFUSED;
  if (first(deposit, ACCOUNT_CLOSED)) return 'account_closed';
  if (accountId !== null) return 'below_minimum';
  return terms.homeChain ? 'wrong_network' : 'not_allocated';
}

/** The deposit's position: final units stand in the pool, against the account's credit and the rest in suspense. */
export function position(deposit: ChainDeposit): Holding[] {
  const { word, terms } = deposit.transfer;
  if (word === null || agreedOf(deposit) === undefined) return [];
  return inflowPosition({
    received: isConfirmed(deposit) ? [{ amount: amountOf(terms, word), currency: terms.asset }] : [],
    backs: [],
    credit: creditOf(deposit),
    resolutions: resolutionsOf(deposit.decisions),
    party: poolOf(terms),
  });
}

/** Whether the deposit waits for the chain, for depth or for its return to a block, or for the screening party. */
export function isOpen(deposit: ChainDeposit): boolean {
  const { word } = deposit.transfer;
  if (word === null) return true;
  return word.state === 'final' ? !isConfirmed(deposit) || isScreeningOpen(deposit) : word.state !== 'gone';
}

/**
 * Opens a break when a transaction mined again paid other units; the agreed amount is credited. Opens one for each refusal
 * of the screening party.
 */
export function notices(deposit: ChainDeposit): WantedBreak[] {
  const { word, terms } = deposit.transfer;
  if (word === null) return [];
  const money = { amount: amountOf(terms, word), currency: terms.asset };
  const isChanged = word.units !== terms.units;
  const refused = refusalToShow(deposit, word);
  return [
    ...(isChanged ? [{ kind: 'chain_deposit_changed', detail: word.blockHash, ...money }] : []),
    ...(refused === undefined ? [] : [{ kind: CHAIN_DEPOSIT_REFUSED, detail: refused, ...money }]),
  ];
}

/** Break of a deposit that the screening party refuses. */
export const CHAIN_DEPOSIT_REFUSED = 'chain_deposit_refused';

/**
 * Names the refusal, so that a later one is shown, too. People who have refused a deposit, or have cleared this refusal, need no
 * break about it.
 */
function refusalToShow(deposit: ChainDeposit, word: ChainDepositWord): string | undefined {
  const refusal = refusalIn(word);
  if (refusal === undefined) return undefined;
  if (isRefusedByScreening(deposit)) {
    const noted = screeningDecision(deposit)?.data['refusal'];
    return typeof noted === 'string' ? `before it was booked: ${noted}` : undefined;
  }
  if (deposit.decisions.some(({ data }) => data['refusal'] === refusal)) return undefined;
  return `${isClearedByPeople(deposit) ? 'after people cleared it' : 'after it was booked'}: ${refusal}`;
}

/** Breaks whose cause is gone: nobody waits for the screening party. */
export const passed = (deposit: ChainDeposit): readonly string[] =>
  isScreeningOpen(deposit) ? [] : [SCREENING_WAITS];
