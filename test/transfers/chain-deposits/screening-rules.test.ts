import { Decimal } from '../../../src/kernel/money/money';
import { withheld } from '../../../src/transfers/chain-deposits/holding';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import type { ChainDeposit, ChainDepositWord } from '../../../src/transfers/chain-deposits/record';
import { CREDIT_HELD, isOpen, isScreeningOpen, notices } from '../../../src/transfers/chain-deposits/rules';
import { decisionBy as decidedBy } from '../../../src/transfers/engine/follow';
import { SCREENING_CLEARED, SCREENING_REFUSED } from '../../../src/transfers/screening/record';
import { look, START } from '../engine/look';
import { fresh, gone, inEuro, played, says, seen, TERMS } from './pure';

describe('a screening', () => {
  const screened = (status: 'pending' | 'cleared' | 'refused', given: Partial<ChainDepositWord> = {}) =>
    says('final', { screening: { status }, ...given });
  const decided = (kind: string, units = TERMS.units, by = 'operator:ida') =>
    decidedBy(by, { kind, data: { units } }, START);
  const then = (from: ChainDeposit, ...decisions: ReturnType<typeof decided>[]): ChainDeposit => ({
    ...from,
    decisions: [...from.decisions, ...decisions],
  });
  const credited = () => played(fresh(), screened('cleared')).situation;
  const refused = () => played(fresh(), screened('refused')).situation;
  /** A refused deposit of which an operator has written an amount off. */
  const takenOf = (amount: string) => {
    const taken = { kind: 'suspense_write_off', amount: new Decimal(amount), currency: 'USDT' };
    return then(refused(), decidedBy('operator:ida', taken, START));
  };
  const end = (from: ChainDeposit, word: ChainDepositWord) => {
    const { situation, path } = look(chainDepositKind, from, { word });
    const { status, failure } = situation.transfer;
    return [status, failure, path.map(({ on }) => on), withheld(situation).toFixed()];
  };

  it.each<[string, ChainDeposit, ChainDepositWord, ReturnType<typeof end>]>([
    ['waits while it is pending', fresh(), screened('pending'), ['confirming', null, [], '100']],
    ['is credited once it is cleared', fresh(), screened('cleared'), ['credited', null, ['confirmed'], '0']],
    [
      'stands in suspense when the party refuses',
      fresh(),
      screened('refused'),
      ['uncredited', 'screening_refused', ['withheld'], '100'],
    ],
    [
      'is credited when people clear it',
      then(fresh(), decided(SCREENING_CLEARED)),
      screened('pending'),
      ['credited', null, ['confirmed'], '0'],
    ],
    [
      'stands in suspense when people refuse it',
      then(fresh(), decided(SCREENING_REFUSED)),
      screened('pending'),
      ['uncredited', 'screening_refused', ['withheld'], '100'],
    ],
    [
      'is credited when people clear what the party refused',
      then(refused(), decided(SCREENING_CLEARED)),
      screened('refused'),
      ['credited', null, ['cleared'], '0'],
    ],
    [
      'waits when people have cleared another amount',
      then(fresh(), decided(SCREENING_CLEARED, '7')),
      screened('pending'),
      ['confirming', null, [], '100'],
    ],
  ])('%s', (_, from, word, expected) => {
    expect(end(from, word)).toEqual(expected);
  });

  it.each<[string, ChainDeposit, ChainDepositWord, string]>([
    ['is withheld before its screening', fresh(), seen, '100'],
    [
      'is not withheld once it is booked, although its result is open again',
      credited(),
      screened('pending'),
      '0',
    ],
    ['is withheld when it is refused without a rate', inEuro, screened('refused'), '100'],
    ['is not withheld once it is gone', refused(), gone, '0'],
    ['is withheld for what is left in suspense', takenOf('30'), screened('refused'), '70'],
    ['is not withheld once nothing is left in suspense', takenOf('100'), screened('refused'), '0'],
  ])('%s', (_, from, word, left) => {
    expect(withheld(played(from, word).situation).toFixed()).toBe(left);
  });

  it('needs no rate for a refusal, and one for the credit when people clear it', () => {
    const { situation } = played(inEuro, screened('refused'));
    expect(situation.decisions.map(({ kind }) => kind)).toEqual([SCREENING_REFUSED]);
    const cleared = then(situation, decided(SCREENING_CLEARED));
    expect(end(cleared, screened('refused'))).toEqual(['confirming', null, [], '0']);
    const rated = screened('refused', { rate: new Decimal('0.9') });
    expect(end(cleared, rated)).toEqual(['credited', null, ['confirmed'], '0']);
    expect(end(situation, rated)).toEqual(['uncredited', 'screening_refused', ['withheld'], '100']);
  });

  it('holds no credit that the party refuses, or that people have cleared', () => {
    const held = then(fresh(), decided(CREDIT_HELD));
    expect(end(held, screened('refused'))).toEqual(['uncredited', 'screening_refused', ['withheld'], '100']);
    expect(end(then(held, decided(SCREENING_CLEARED)), screened('pending'))).toEqual([
      'credited',
      null,
      ['confirmed'],
      '0',
    ]);
    expect(end(held, screened('cleared'))).toEqual(['confirming', null, [], '0']);
  });

  it('shows each refusal of the party once, and none that people have made or cleared', () => {
    const details = (from: ChainDeposit, word: ChainDepositWord) =>
      notices(played(from, word).situation).map(({ detail }) => detail);
    const later = screened('refused');
    later.screening = { status: 'refused', reason: 'sanctions', version: 3 };
    const units = '100000000 units';
    expect(details(fresh(), screened('refused'))).toEqual([`before it was booked: ${units}`]);
    expect(details(refused(), later)).toEqual([`before it was booked: ${units}`]);
    expect(details(then(fresh(), decided(SCREENING_REFUSED)), screened('refused'))).toEqual([]);
    const again = `${units}, sanctions, version 3`;
    const cleared = then(refused(), decided(SCREENING_CLEARED));
    expect([details(cleared, screened('refused')), details(cleared, later)]).toEqual([
      [],
      [`after people cleared it: ${again}`],
    ]);
    const unbooked = then(inEuro, decided(SCREENING_CLEARED));
    expect(details(unbooked, later)).toEqual([`after people cleared it: ${again}`]);
    expect(details(credited(), later)).toEqual([`after it was booked: ${again}`]);
  });

  it('is open for a credited deposit with another amount, and closed once the chain takes it back', () => {
    const more = screened('pending', { units: '130000000', blockHash: '0xc7' });
    const { situation } = played(fresh(), screened('cleared'), more);
    expect([situation.transfer.status, isOpen(situation), isScreeningOpen(situation)]).toEqual([
      'credited',
      true,
      true,
    ]);
    const { situation: back } = played(situation, { ...more, state: 'gone' });
    expect([isScreeningOpen(back), withheld(back).toFixed()]).toEqual([false, '0']);
  });
});
