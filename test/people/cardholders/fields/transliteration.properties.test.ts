import fc from 'fast-check';
import { checkName } from '../../../../src/people/cardholders/fields/name';
import { transliterateName } from '../../../../src/people/cardholders/fields/transliteration';

const characters = (pattern: RegExp): string[] =>
  Array.from({ length: 0x2fff }, (_, code) => String.fromCharCode(code)).filter((char) => pattern.test(char));

const LATIN = characters(/^(?=\p{Script=Latin})[\p{Lu}\p{Ll}\p{Lt}]$/u);
const CYRILLIC = characters(/^(?=\p{Script=Cyrillic})[\p{Lu}\p{Ll}\p{Lt}]$/u);
const MARKS = characters(/^[\u0300-\u036f]$/);

const unit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LATIN) },
  { weight: 4, arbitrary: fc.constantFrom(...CYRILLIC) },
  { weight: 2, arbitrary: fc.constantFrom(' ', '-', "'", '.', '’', 'ʼ') },
  { weight: 1, arbitrary: fc.constantFrom(...MARKS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const name = fc.string({ unit, maxLength: 30 });
const accepted = (text: string): string | undefined => {
  const check = checkName(text);
  return 'value' in check ? check.value : undefined;
};
const options = { numRuns: 2_000 };

describe('transliteration', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(name, (text) => {
        const once = transliterateName(text);
        if (once !== undefined) expect(transliterateName(once)).toBe(once);
      }),
      options,
    );
  });

  it('leaves ASCII unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(transliterateName(text)).toBe(text);
      }),
      options,
    );
  });

  it('gives the same for composed and decomposed letters', () => {
    fc.assert(
      fc.property(name, (text) => {
        expect(transliterateName(text.normalize('NFD'))).toBe(transliterateName(text.normalize('NFC')));
      }),
      options,
    );
  });

  it('gives ASCII letters, or nothing, for every Latin and Cyrillic letter that it knows', () => {
    for (const letter of [...LATIN, ...CYRILLIC])
      expect(transliterateName(letter) ?? '').toMatch(/^[A-Za-z]*$/);
  });

  it('covers every letter of the languages of Europe and Central Asia', () => {
    const alphabets =
      'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßāăąćċčďđēėęěğģīįıķĺļľłńņňŋōőœŕřśşšţťūůűųŵŷźżžșțəƒ' +
      'абвгдеёжзийклмнопрстуфхцчшщъыьэюяґєіїўђѓѕјљњћќџәғқңөұүһіөҗҙҡҫҳҷӣӯѣѐѝ';
    for (const letter of alphabets) {
      expect([letter, transliterateName(letter)]).toEqual([letter, expect.any(String)]);
      expect([letter, transliterateName(letter.toUpperCase())]).toEqual([letter, expect.any(String)]);
    }
  });
});

describe('an accepted name', () => {
  it('is ASCII within 40 bytes, begins with a letter, and is accepted again unchanged', () => {
    let seen = 0;
    fc.assert(
      fc.property(name, (text) => {
        const value = accepted(text);
        if (value === undefined) return;
        seen += 1;
        expect(value).toMatch(/^[A-Za-z][A-Za-z .'-]{0,39}$/);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(40);
        expect(accepted(value)).toBe(value);
      }),
      options,
    );
    expect(seen).toBeGreaterThan(options.numRuns / 100);
  });

  it('never contains TEST, MOCK or SANDBOX, however it was spelt', () => {
    const reserved = fc.constantFrom(
      'test',
      'TeSt',
      'mock',
      'Sandbox',
      'тест',
      'ТЕСТ',
      'мок',
      'тéст',
      'teſt',
      'ťeşt',
    );
    fc.assert(
      fc.property(fc.tuple(name, reserved, name), (parts) => {
        const value = accepted(parts.join(''));
        if (value !== undefined) expect(value).not.toMatch(/test|mock|sandbox/i);
      }),
      options,
    );
  });
});
