import { codeOf, isCode } from '../../../src/cards/challenges/code';
import { testKeyring } from '../../support/keyring';

const keyring = testKeyring(Buffer.alloc(32, 7));
const id = 'chl_01h455vb4pex5vsknk084sn02q';

it('gives the same code at each attempt, and a different one per number, challenge and installation', () => {
  const code = codeOf(keyring, { id, codeNumber: 1 });
  expect(code).toMatch(/^\d{6}$/);
  expect(codeOf(keyring, { id, codeNumber: 1 })).toBe(code);
  expect(codeOf(keyring, { id, codeNumber: 2 })).not.toBe(code);
  expect(codeOf(keyring, { id: 'chl_01h455vb4pex5vsknk084sn02r', codeNumber: 1 })).not.toBe(code);
  expect(codeOf(testKeyring(Buffer.alloc(32, 8)), { id, codeNumber: 1 })).not.toBe(code);
});

it('favours no digit', () => {
  const counts = Array.from({ length: 6 }, () => new Array<number>(10).fill(0));
  const codes = 20_000;
  for (let number = 0; number < codes; number += 1) {
    const code = codeOf(keyring, { id, codeNumber: number });
    for (let place = 0; place < 6; place += 1) counts[place]![Number(code[place])]! += 1;
  }
  // Chi-squared with nine degrees of freedom exceeds 40 once in 100,000 cases. The codes of this test never change.
  for (const digits of counts) {
    const expected = codes / 10;
    expect(digits.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)).toBeLessThan(40);
  }
});

it.each(['', '12345', '1234567', 'abcdef', '１２３４５６'])('refuses %j', (typed) => {
  expect(isCode(keyring, { id, codeNumber: 1 }, typed)).toBe(false);
});

it('accepts only its own code', () => {
  const code = codeOf(keyring, { id, codeNumber: 1 });
  expect(isCode(keyring, { id, codeNumber: 1 }, code)).toBe(true);
  expect(isCode(keyring, { id, codeNumber: 2 }, code)).toBe(false);
});
