import { type BankCreditWord, bankCreditWord } from '../../../parties/bank/word';
import { processOf } from '../../../process/workflow-command';
import type { Services } from '../../../services';
import type { Given, NamedByParty, Order, TransferKind } from '../../engine/kind';
import type { IbanCredit, IbanCreditTerms } from './rules';
import * as rules from './rules';

/** Callback path of the bank for received payments. */
export const CREDIT_CALLBACK_PATH = '/callbacks/bank';

/** The bank's name of the payment names the workflow, because the workflow starts before the record exists. */
export const creditProcess = processOf({
  workflow: 'ibanCredit',
  prefix: 'iban-credit-',
  summary: 'Credit to a virtual IBAN',
  key: ({ partyRef }: NamedByParty) => [partyRef ?? ''],
});

/**
 * A payment to an IBAN of our range (decisions part 4, virtual IBAN). Its record is made when the bank is first asked
 * for it (discover.ts). A payment for no enabled IBAN has no account, and stands in suspense.
 */
export const ibanCreditKind: TransferKind<IbanCreditTerms, BankCreditWord> = {
  name: 'iban_credit',
  idKind: 'ibanCredit',
  party: 'bank',
  process: creditProcess,
  namedBy: 'party_ref',
  terms: rules.terms,
  word: bankCreditWord,
  components: rules.COMPONENTS,
  transitions: rules.IBAN_CREDIT_TRANSITIONS,
  resolutions: ['return', 'credit', 'write_off', 'recover'],
  pledged: rules.pledged,
  asked: rules.pledged,
  choose: () => undefined,
  measures: rules.measures,
  amounts: ({ currency, recalls, returns, ...word }) =>
    [word, ...recalls, ...returns].map(({ amount }) => ({ amount, currency })),
  parts: rules.parts,
  trigger: rules.trigger,
  failure: () => null,
  position: rules.position,
  orders: rules.orders,
  concluded: rules.concluded,
  isOpen: rules.isOpen,
  deadline: () => null,
  notices: rules.notices,
  // No event: the account transactions tell the client.
  eventsOf: () => [],
  give: giveBack,
  ask,
};

async function giveBack(
  { parties }: Services,
  situation: IbanCredit,
  { key }: Order,
): Promise<Given<BankCreditWord>> {
  const back = rules.backsOf(situation).find(({ part }) => part === key);
  const { partyRef } = situation.transfer;
  if (!back || partyRef === null) throw new Error('the order names no return of this credit');
  await parties.bank.giveBack({ key, creditId: partyRef, amount: back.amount });
  return {};
}

async function ask(
  { parties }: Services,
  { transfer: { partyRef, word } }: IbanCredit,
): Promise<Given<BankCreditWord> | 'unknown_to_party'> {
  const answer = await parties.bank.ask(partyRef ?? '');
  if (answer !== 'unknown_to_party') return { word: answer.word };
  // We gave no order for a credit, so there is none to repeat.
  return word === null ? {} : answer;
}
