import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decimal, sumOf, ZERO } from '../../../../../src/kernel/money/money';
import type { BankCreditWord } from '../../../../../src/parties/bank/word';
import type { Holding } from '../../../../../src/transfers/engine/books/position';
import { ibanCreditKind } from '../../../../../src/transfers/iban/credits/kind';
import type { IbanCredit, IbanCreditTerms } from '../../../../../src/transfers/iban/credits/rules';
import { assertSuspense, hasResolutions, totalOf } from '../../books';
import { begun, START } from '../../look';
import { decidedByPeople, type KindProof } from '../kind-proof';
import { orNone, version } from './amounts';
import { actsOf, commonDecision } from './people';

/** Stands for the IBAN in the bank's first word on the payment. */
const ITS_OWN = 'its own';
const ANOTHER = 'LT239999900000000002';

const amounts = fc
  .constantFrom('0.01', '33.33', '50', '50', '99.99', '100', '100', '100.01', '250')
  .map((amount) => new Decimal(amount));
const idOf = ({ id }: { id: string }) => id;

const recalls = fc.uniqueArray(fc.record({ id: fc.constantFrom('x1', 'x2', 'x3'), amount: amounts }), {
  maxLength: 3,
  selector: idOf,
});

const returns = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('x1', 'x2', 'x3'),
    // No key, a key of ours (also the same for two returns), and a foreign key.
    key: fc.constantFrom(undefined, 'dec_1', 'dec_1', 'dec_2', 'theirs'),
    amount: amounts,
    status: fc.constantFrom(
      'pending' as const,
      'succeeded' as const,
      'succeeded' as const,
      'failed' as const,
    ),
  }),
  { maxLength: 3, selector: idOf },
);

/** All words that a bank could say of a payment. */
const words: fc.Arbitrary<BankCreditWord> = fc
  .record({
    version,
    iban: fc.constantFrom(ITS_OWN, ITS_OWN, ANOTHER),
    amount: fc.oneof(
      { weight: 8, arbitrary: fc.constant(new Decimal(100)) },
      { weight: 2, arbitrary: amounts },
      { weight: 1, arbitrary: fc.constant(ZERO) },
    ),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'EUR', 'USD'),
    recalls: orNone(recalls),
    returns: orNone(returns),
  })
  .map(({ version: its, ...word }) => ({ id: '', ...word, ...(its === undefined ? {} : { version: its }) }));

function freshCredit(accountId: string | null, amount: string, currency: string): IbanCredit {
  const terms = { iban: 'LT529999900000000001', amount: new Decimal(amount), currency };
  return begun<IbanCreditTerms, BankCreditWord>({
    kind: 'iban_credit',
    status: 'received',
    terms,
    partyRef: 'bank-1',
    orderedAt: START,
    accountId,
    tenantId: accountId && 'cli_1',
  });
}

/** The money of ours at the bank, by the bank's word. */
function positionOfBank(word: BankCreditWord | null, currency: string): Decimal {
  if (word?.currency !== currency) return ZERO;
  const succeeded = word.returns.filter(({ status }) => status === 'succeeded');
  return word.amount.minus(sumOf(word.recalls)).minus(sumOf(succeeded));
}

function asReceived(credit: IbanCredit, books: readonly Holding[], impossible: boolean): void {
  assert.ok(!impossible, 'the bank may say whatever it wants');
  const { word, accountId, status } = credit.transfer;
  const taken = totalOf(books, 'chargedBack', 'refunded', 'held');
  const credited = totalOf(books, 'credited');
  assert.ok(taken.lte(credited), 'more is taken than was credited');
  if (accountId === null) assert.equal(credited.toFixed(), '0', 'it is nobody’s');
  if (word === null) return;
  const agreed =
    accountId !== null && word.currency === credit.transfer.terms.currency
      ? credit.transfer.terms.amount
      : ZERO;
  const net = positionOfBank(word, word.currency);
  if (!hasResolutions(credit)) assertSuspense(books, { currency: word.currency, net, agreed });
  const isLeft = net.gt(0);
  assert.equal(isLeft || !['returned', 'recalled'].includes(status), isLeft, status);
  const own = credit.decisions.some(({ kind }) => kind === 'suspense_return');
  if (!own) assert.equal(totalOf(books, 'held').toFixed(), '0', 'held though nobody has asked for it back');
}

export const ibanCreditProof: KindProof<IbanCreditTerms, BankCreditWord> = {
  kind: ibanCreditKind,
  fresh: fc.constantFrom(
    ...[freshCredit('vib_1', '100', 'EUR'), freshCredit('vib_1', '33.34', 'EUR')],
    ...[freshCredit(null, '100', 'EUR'), freshCredit(null, '100', 'USD')],
  ),
  words,
  acts: actsOf([['return', 2]], 'EUR', 'EUR', 'USD'),
  addressed: (word, { situation, before }) => ({
    ...word,
    id: before?.id ?? 'bank-1',
    iban: word.iban === ITS_OWN ? (before?.iban ?? situation?.transfer.terms.iban ?? ANOTHER) : word.iban,
    returns: word.returns.map(({ key, ...back }) => {
      const orders = situation ? decidedByPeople(situation) : [];
      const own = key?.startsWith('dec_') ? orders[Number(key.slice(4)) - 1] : key;
      return own === undefined ? back : { ...back, key: own };
    }),
  }),
  decision: (situation, act, heard) => commonDecision(ibanCreditKind, situation, act, heard),
  currencies: ['EUR', 'USD'],
  positionOfParty: ({ word }, currency) => positionOfBank(word, currency),
  neverNegative: ['credited', 'held', 'refunded', 'chargedBack'],
  exchange: () => null,
  also: asReceived,
};
