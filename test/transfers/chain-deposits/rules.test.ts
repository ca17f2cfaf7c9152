import { Decimal } from '../../../src/kernel/money/money';
import type { ChainDeposit, ChainDepositWord } from '../../../src/transfers/chain-deposits/record';
import {
  CREDIT_APPROVED,
  CREDIT_HELD,
  heldCredit,
  isDueForCredit,
  isOpen,
  judgedUnits,
  notices,
  waitsForRate,
} from '../../../src/transfers/chain-deposits/rules';
import { chainDepositView } from '../../../src/transfers/chain-deposits/view';
import { SEEN, TAKEN_BACK } from '../../../src/transfers/chain-deposits/word-of-people';
import { decisionBy as decidedBy } from '../../../src/transfers/engine/follow';
import { shown } from '../engine/books';
import { START } from '../engine/look';
import { absent, final, fresh, gone, inEuro, nobodys, played, says, seen, TERMS } from './pure';

const CREDITED = { credited: 100, 'pool@local': -100 };

it.each<[string, ChainDeposit, ChainDepositWord[], string, Record<string, number>]>([
  ['waits', fresh(), [seen], 'confirming', {}],
  ['is credited', fresh(), [seen, final], 'credited', CREDITED],
  ['vanishes and waits', fresh(), [seen, absent], 'confirming', {}],
  ['is gone before it was final', fresh(), [seen, absent, gone], 'confirming', {}],
  ['comes back before it was final', fresh(), [seen, gone, seen, final], 'credited', CREDITED],
  ['is absent for a while', fresh(), [final, absent], 'credited', CREDITED],
  ['is mined again', fresh(), [final, absent, seen], 'credited', CREDITED],
  ['is gone', fresh(), [final, absent, gone], 'uncredited', {}],
  ['is back and not final again yet', fresh(), [final, gone, seen], 'uncredited', {}],
  ['comes back', fresh(), [final, gone, seen, final], 'credited', CREDITED],
  ['is exactly the minimum', fresh({ minDeposit: new Decimal(100) }), [final], 'credited', CREDITED],
  [
    'is one unit too little',
    fresh({ minDeposit: new Decimal('100.000001') }),
    [final],
    'uncredited',
    { suspense: 100, 'pool@local': -100 },
  ],
  ['has no owner', nobodys, [final], 'uncredited', { suspense: 100, 'pool@local': -100 }],
  ['has no owner and is gone', nobodys, [final, gone], 'uncredited', {}],
  ['has no rate', inEuro, [final], 'confirming', {}],
  [
    'brings more when it is mined again',
    fresh(),
    [final, says('final', { units: '130000000' })],
    'credited',
    { credited: 100, suspense: 30, 'pool@local': -130 },
  ],
  [
    'brings less when it is mined again',
    fresh(),
    [final, says('final', { units: '40000000' })],
    'credited',
    { credited: 40, 'pool@local': -40 },
  ],
])('a deposit that %s', (_, from, words, status, books) => {
  const { situation, books: held } = played(from, ...words);
  expect(situation.transfer.status).toBe(status);
  expect(shown(held)).toEqual(books);
});

it('ends when people take it back, although it was never final', () => {
  const back = { ...inEuro, decisions: [decidedBy('operator:ida', { kind: TAKEN_BACK }, START)] };
  const { situation, books } = played(back, gone);
  const { status, failure } = situation.transfer;
  expect([status, failure, isOpen(situation), books]).toEqual(['uncredited', 'reversed_on_chain', false, []]);
});

it('gives the present reason for not crediting, whatever it was before', () => {
  const tooLittle = new Decimal('100.000001');
  const rated = says('final', { rate: new Decimal('0.9') });
  const said = (from: ChainDeposit, ...words: ChainDepositWord[]) =>
    words.map((_, last) => played(from, ...words.slice(0, last + 1)).situation.transfer.failure);
  const small = fresh({ minDeposit: tooLittle });
  expect(said(small, final, gone, final)).toEqual(['below_minimum', 'reversed_on_chain', 'below_minimum']);
  expect(said(nobodys, final, gone, final)).toEqual(['not_allocated', 'reversed_on_chain', 'not_allocated']);
  expect(said(fresh(), final, gone, final)).toEqual([null, 'reversed_on_chain', null]);
  const waiting = played(fresh({ accountCurrency: 'EUR', minDeposit: tooLittle }), final).situation;
  const told = (kind: string) => decidedBy('operator:ida', { kind }, START);
  const back = played({ ...waiting, decisions: [told(TAKEN_BACK)] }, gone).situation;
  const again = { ...back, decisions: [...back.decisions, told(SEEN)] };
  expect(back.transfer).toMatchObject({ status: 'uncredited', failure: 'reversed_on_chain' });
  const { situation: waits } = played(again, final);
  expect(waits.transfer).toMatchObject({ status: 'confirming', failure: null });
  for (const from of [again, waits]) expect(said(from, rated)).toEqual(['below_minimum']);
});

it('takes one rate, whatever the market says when it returns', () => {
  const at = (rate: string) => says('final', { rate: new Decimal(rate) });
  const { books } = played(inEuro, final, at('0.90001'), gone, at('0.5'));
  expect(
    books.map(({ component, currency, amount }) => `${component} ${currency} ${amount.toFixed()}`).sort(),
  ).toEqual(['credited EUR 90', 'fx EUR -90', 'fx USDT 100', 'pool@local USDT -100']);
  expect(waitsForRate(played(inEuro, final).situation)).toBe(true);
  // The rate is taken already, so a return waits for none.
  expect(played(inEuro, at('0.9'), gone, final).situation.transfer.status).toBe('credited');
});

it('contradicts itself only when it was final before', () => {
  const ways = (from: ChainDeposit, ...words: ChainDepositWord[]) =>
    played(from, ...words).path.map(({ on, contradicts }) => [on, contradicts]);
  expect(ways(fresh(), final)).toEqual([['confirmed', false]]);
  expect(ways(fresh(), final, gone)).toEqual([['vanished', true]]);
  expect(ways(fresh(), final, gone, final)).toEqual([['confirmed', true]]);
  const told = (kind: string) => decidedBy('operator:ida', { kind }, START);
  const back = played({ ...fresh(), decisions: [told(TAKEN_BACK)] }, gone).situation;
  const again = { ...back, decisions: [...back.decisions, told(SEEN)] };
  expect(ways(again, final).every(([, contradicts]) => contradicts === false)).toBe(true);
});

it('waits while the chain may change it, and shows changed units', () => {
  const open = ([...words]: ChainDepositWord[]) => isOpen(played(fresh(), ...words).situation);
  expect([[], [seen], [final], [final, absent], [seen, gone]].map(open)).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
  expect(notices(played(fresh(), final).situation)).toEqual([]);
  expect(notices(played(fresh(), says('final', { units: '1' })).situation)).toMatchObject([
    { kind: 'chain_deposit_changed', currency: 'USDT' },
  ]);
});

it("shows the account's credit when a transaction mined again pays less or more", () => {
  const again = (units: string) =>
    chainDepositView(played(fresh(), final, absent, says('final', { blockHash: '0xc7', units })).situation);
  expect(again('60000000')).toMatchObject({ amount: '60.000000', creditedAmount: '60.000000' });
  expect(again('140000000')).toMatchObject({ amount: '140.000000', creditedAmount: '100.000000' });
  const exchanged = (...words: ChainDepositWord[]) => chainDepositView(played(inEuro, ...words).situation);
  const rated = (units: string) => says('final', { units, rate: new Decimal('0.9') });
  expect(exchanged(rated('100000000'))).toMatchObject({ creditedAmount: '90.00', rate: '0.9' });
  expect(exchanged(rated('100000000'), absent, rated('50000000'))).toMatchObject({ creditedAmount: '45.00' });
});

describe('a credit held for approval', () => {
  const decided = (kind: string, units = TERMS.units) =>
    decidedBy('system', { kind, data: { units } }, START);
  const held = (...decisions: ReturnType<typeof decided>[]) => ({ ...fresh(), decisions });

  it.each([
    ['waits', held(decided(CREDIT_HELD)), final, TERMS.units, 'confirming'],
    ['passes', held(decided(CREDIT_HELD), decided(CREDIT_APPROVED)), final, undefined, 'credited'],
    ['is judged anew with other units', held(decided(CREDIT_HELD, '7')), final, undefined, 'credited'],
  ])('%s', (_, deposit, word, units, status) => {
    const { situation } = played(deposit, word);
    expect([heldCredit(situation), situation.transfer.status]).toEqual([units, status]);
  });

  it('does not transfer an approval to other units', () => {
    const deposit = held(decided(CREDIT_HELD, '7'), decided(CREDIT_APPROVED, '7'));
    expect(judgedUnits(deposit)).not.toBe(TERMS.units);
    expect(isDueForCredit({ ...deposit, transfer: { ...deposit.transfer, word: final } })).toBe(true);
  });
});
