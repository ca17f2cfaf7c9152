import { z } from 'zod';
import { isCurrency } from '../../../kernel/money/currencies';
import { type Decimal, fitsCurrency, sumOf, ZERO } from '../../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../../kernel/parties';
import type { BankCreditWord } from '../../../parties/bank/word';
import { storedDecimal as decimal } from '../../../parties/protocol/stored';
import type { WantedBreak } from '../../../process/breaks/operations';
import { askedIn, type Back, inflowPosition, type Money } from '../../engine/books/inflow';
import type { ComponentTable, Holding } from '../../engine/books/position';
import {
  backsAmong,
  concludedRefunds,
  type ReportedReturn,
  refundOrders,
  reportedParts,
} from '../../engine/books/refunds';
import { resolutionsOf } from '../../engine/books/resolutions';
import { isSame } from '../../engine/follow';
import type { Order } from '../../engine/kind';
import { moneyOf, type Part, type Situation, type Transition } from '../../engine/record';
import { normalized } from '../virtual-ibans/iban-number';

/** The first word of the bank about a payment. Its owner is decided then, and stays. */
export const terms = z.object({
  iban: z.string(),
  amount: decimal,
  currency: z.string(),
});

export type IbanCreditTerms = z.output<typeof terms>;
export type IbanCredit = Situation<IbanCreditTerms, BankCreditWord>;

export type IbanCreditStatus = 'received' | 'credited' | 'suspended' | 'returned' | 'recalled';

/** The statuses that wait for the bank or for a person: money without an owner, or recalled by the payer's bank. */
export const OPEN_CREDIT_STATUSES: readonly string[] = [
  'received',
  'suspended',
  'recalled',
] satisfies IbanCreditStatus[];

export type IbanCreditTrigger =
  /** The payment is for an IBAN that was enabled when the payment came; or for none. */
  | 'matched'
  | 'unmatched'
  /** The whole payment went back: by our order, or recalled by the payer's bank. */
  | 'returned'
  | 'recalled';

/** Transitions of a received payment. The payer's bank may recall it, also in parts, and give it back. */
export const IBAN_CREDIT_TRANSITIONS: readonly Transition<IbanCreditStatus, IbanCreditTrigger>[] = [
  { from: ['received', 'recalled'], on: 'matched', to: 'credited' },
  { from: ['received', 'recalled'], on: 'unmatched', to: 'suspended' },
  { from: ['credited', 'suspended', 'returned'], on: 'recalled', to: 'recalled' },
  { from: ['credited', 'suspended', 'recalled'], on: 'returned', to: 'returned' },
  { from: ['returned'], on: 'matched', to: 'credited', contradicts: true },
  { from: ['returned'], on: 'unmatched', to: 'suspended', contradicts: true },
];

export const COMPONENTS = {
  credited: { on: 'client', up: 'deposit/iban_credit', down: 'withdraw/iban_credit_reversed' },
  chargedBack: { on: 'client', up: 'withdraw/iban_credit_reversed', down: 'deposit/iban_credit' },
  held: { on: 'hold', up: 'pending/deposit_refund', down: 'transfer/deposit_refund' },
  refunded: { on: 'client', up: 'withdraw/iban_credit_reversed', down: 'deposit/iban_credit' },
  released: { on: 'client', up: 'deposit/iban_credit', down: 'withdraw/iban_credit_reversed' },
} as const satisfies ComponentTable;

/** Whether an amount can be booked: positive, in a known currency, without more decimals than the currency has. */
export const isAmount = ({ amount, currency }: Pick<IbanCreditTerms, 'amount' | 'currency'>): boolean =>
  isCurrency(currency) && fitsCurrency(amount, currency) && amount.gt(0);

/** Recalls and returns of a word. The prefixes keep their names apart. */
const reportedReturns = ({ currency, recalls, returns }: BankCreditWord): ReportedReturn[] => [
  ...recalls.map((recall): ReportedReturn => {
    return { ...recall, currency, name: `recall ${recall.id}`, as: 'dispute', status: 'succeeded' };
  }),
  ...returns.map((back): ReportedReturn => ({ ...back, currency, name: `return ${back.id}`, as: 'refund' })),
];

export const parts = (word: BankCreditWord, credit: IbanCredit): (string | Part)[] =>
  reportedParts(credit, reportedReturns(word));

/** Amounts that never fall. A word that lowers one takes something back. */
export const measures = (word: BankCreditWord): Record<string, Decimal> => ({
  [`received ${word.currency}`]: word.amount,
  ...Object.fromEntries(
    reportedReturns(word)
      .filter(({ status }) => status === 'succeeded')
      .map(({ name, amount }) => [name, amount]),
  ),
});

/** Amounts that went back to the payer, or are to go back by our order. */
export const backsOf = (situation: IbanCredit): Back[] =>
  backsAmong(situation, situation.transfer.word ? reportedReturns(situation.transfer.word) : []);

/** Amounts on their way back to the payer. */
export const pledged = (situation: IbanCredit): Money[] => askedIn({ backs: backsOf(situation) });

export const orders = (situation: IbanCredit): Order[] =>
  refundOrders(situation, situation.transfer.word?.returns ?? []);

/** The word as a person concludes returns that we ordered and the bank never ends. */
export function concluded(situation: IbanCredit): BankCreditWord | undefined {
  const { word } = situation.transfer;
  if (word === null) return undefined;
  const returns = concludedRefunds(situation, word.returns, (order) => ({ amount: moneyOf(order).amount }));
  return isSame(returns, word.returns) ? undefined : { ...word, returns };
}

/** Whether the bank is waited for. */
export const isOpen = (situation: IbanCredit): boolean =>
  situation.transfer.status === 'received' || pledged(situation).length > 0;

export function trigger(situation: IbanCredit): IbanCreditTrigger | undefined {
  const { word, status } = situation.transfer;
  if (word === null) return undefined;
  const [on, to] = callOf(situation, word);
  return status === to ? undefined : on;
}

/** The trigger of a word, and the status that satisfies it. A new payment is credited before it can be returned. */
function callOf(situation: IbanCredit, { amount }: BankCreditWord): [IbanCreditTrigger, IbanCreditStatus] {
  const { status, accountId } = situation.transfer;
  const done = backsOf(situation).filter(({ state }) => state === 'done');
  const returned = sumOf(done.filter(({ as }) => as === 'refund'));
  const isGone = sumOf(done).gte(amount) && status !== 'received';
  if (isGone && returned.gt(0) && returned.gte(amount)) return ['returned', 'returned'];
  if (isGone) return ['recalled', 'recalled'];
  return accountId === null ? ['unmatched', 'suspended'] : ['matched', 'credited'];
}

/** The terms are credited to the account. Amounts beyond them stand in suspense. */
export function position(situation: IbanCredit): Holding[] {
  const { accountId, terms, word } = situation.transfer;
  const { amount, currency } = terms;
  const base = { amount, currency };
  return inflowPosition({
    received: word === null ? [] : [{ amount: word.amount, currency: word.currency }],
    backs: backsOf(situation),
    credit: accountId === null ? null : { account: accountId, base, credited: amount, fee: ZERO, currency },
    resolutions: resolutionsOf(situation.decisions),
    party: PARTY_ACCOUNTS.bank,
  });
}

/** A notice that the bank now reports another payment under the same name, so that a person asks the bank. */
export function notices({ transfer: { terms, word } }: IbanCredit): WantedBreak[] {
  if (word === null) return [];
  const { iban, amount, currency } = word;
  const same =
    normalized(iban) === normalized(terms.iban) && amount.eq(terms.amount) && currency === terms.currency;
  return same
    ? []
    : [{ kind: 'iban_credit_changed', detail: 'the bank tells of it otherwise', amount, currency }];
}
