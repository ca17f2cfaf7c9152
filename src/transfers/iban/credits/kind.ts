import type { BankCreditWord } from '../../../parties/bank/word';
import { bankCreditWord } from '../../../parties/bank/word';
import { processOf } from '../../../process/workflow-command';
import type { Services } from '../../../services';
import type { Given, Order, ProcessSubject, TransferKind } from '../../engine/kind';
import {
  backsOf,
  concludedCredit,
  IBAN_CREDIT_COMPONENTS,
  IBAN_CREDIT_TRANSITIONS,
  type IbanCredit,
  type IbanCreditTerms,
  ibanCreditPosition,
  ibanCreditTerms,
  isOpen,
  measuresOf,
  noticesOf,
  ordersOf,
  partsOf,
  pledgedOf,
  triggerOf,
} from './rules';

/** The workflow is named by the bank's name for the payment: it begins before there is a record. */
export const creditProcess = processOf<{ ref: string; tenantId?: string }>({
  workflow: 'ibanCredit',
  prefix: 'iban-credit-',
  summary: 'Credit to a virtual IBAN',
  key: ({ ref }) => [ref],
});

const subjectOf = ({ partyRef = '', tenantId }: ProcessSubject) => ({
  ref: partyRef,
  ...(tenantId === undefined ? {} : { tenantId }),
});

/**
 * A payment that the bank has received for an IBAN of our range (decisions part 4, virtual IBAN). Its record is made when the
 * bank is first asked for it (discover.ts). One for no IBAN that is enabled is the same kind without an account: all of it
 * stands in suspense.
 */
export const ibanCreditKind: TransferKind<IbanCreditTerms, BankCreditWord> = {
  name: 'iban_credit',
  party: 'bank',
  process: {
    start: (subject) => creditProcess.start(subjectOf(subject)),
    look: (subject) => creditProcess.look(subjectOf(subject)),
    keyOf: creditProcess.keyOf,
  },
  namedBy: 'party_ref',
  terms: ibanCreditTerms,
  word: bankCreditWord,
  components: IBAN_CREDIT_COMPONENTS,
  transitions: IBAN_CREDIT_TRANSITIONS,
  doors: ['return', 'credit', 'write_off', 'recover'],
  pledged: pledgedOf,
  choose: () => undefined,
  measures: measuresOf,
  amounts: ({ currency, recalls, returns, ...word }) =>
    [word, ...recalls, ...returns].map(({ amount }) => ({ amount, currency })),
  parts: partsOf,
  trigger: triggerOf,
  failure: () => null,
  position: ibanCreditPosition,
  orders: ordersOf,
  concluded: concludedCredit,
  isOpen,
  deadline: () => null,
  notices: noticesOf,
  // The account's own transactions tell of it.
  told: () => [],
  give: giveBack,
  ask,
};

async function giveBack(
  { parties }: Services,
  situation: IbanCredit,
  { key }: Order,
): Promise<Given<BankCreditWord>> {
  const back = backsOf(situation).find(({ part }) => part === key);
  const { partyRef } = situation.transfer;
  if (!back || partyRef === null) throw new Error('there is nothing to give back');
  await parties.bank.giveBack({ key, creditId: partyRef, amount: back.amount });
  return {};
}

async function ask(
  { parties }: Services,
  { transfer: { partyRef, word } }: IbanCredit,
): Promise<Given<BankCreditWord> | 'unknown_to_party'> {
  const heard = await parties.bank.ask(partyRef ?? '');
  if (heard !== 'unknown_to_party') return { word: heard };
  // No order of ours has made it: there is none to give again.
  return word === null ? {} : heard;
}
