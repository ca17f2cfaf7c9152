import { transliterate } from 'transliteration';

/**
 * Letters that the library has no letter for, by their lower case: Azerbaijani ə, Kazakh ә, Kurdish ԛ and ԝ,
 * and letters of Abkhaz, Nivkh and Sámi. Hard and soft signs and the palochka have no sound of their own:
 * they vanish.
 */
const SUPPLEMENT: Readonly<Record<string, string>> = {
  ə: 'e',
  ǝ: 'e',
  ѐ: 'e',
  ә: 'a',
  ӛ: 'a',
  ԛ: 'q',
  ԝ: 'w',
  ӷ: 'gh',
  ԥ: 'p',
  ӆ: 'l',
  ӊ: 'n',
  ӎ: 'm',
  ъ: '',
  ь: '',
  ҍ: '',
  ӏ: '',
};

/**
 * A run of cased letters with the accents that follow them; scripts without case hold no letter that is
 * accepted.
 */
const WORD = /[\p{Lu}\p{Ll}\p{Lt}][\p{Lu}\p{Ll}\p{Lt}\u0300-\u036f]*/gu;
const ACCENTS = /[\u0300-\u036f]/g;
/** U+2019 is what phones type for an apostrophe, U+02BC what Ukrainian spelling asks for. */
const APOSTROPHES = /[\u2019\u02bc]/g;
const LATIN_OR_CYRILLIC = /^[\p{Script=Latin}\p{Script=Cyrillic}]$/u;

/** The ASCII for one lower-case letter (`''` for a sign that vanishes), or undefined when it has none. */
function letterToAscii(letter: string): string | undefined {
  if (!LATIN_OR_CYRILLIC.test(letter)) return undefined;
  const known = SUPPLEMENT[letter];
  if (known !== undefined) return known;
  // The library marks softness and glottal letters by apostrophes (ґ is g'), which a name does not spell.
  const ascii = transliterate(letter).replaceAll("'", '');
  return /^[a-z]+$/i.test(ascii) ? ascii.toLowerCase() : undefined;
}

function wordToAscii(word: string): string | undefined {
  const letters = [...word.replace(ACCENTS, '')];
  // ß stands among capitals too (GROßMANN), for most fonts and passports have no capital of it.
  const shouted = letters.length > 1 && !/(?!ß)\p{Ll}/u.test(word);
  let ascii = '';
  for (const letter of letters) {
    // By way of the lower case, for the library's tables of capitals have gaps (Ý gives U, ẞ nothing); İ
    // leaves a dot.
    const lower = letter.toLowerCase().replace(ACCENTS, '');
    const spelt = letterToAscii(lower);
    if (spelt === undefined) return undefined;
    if (shouted) ascii += spelt.toUpperCase();
    else ascii += letter === lower ? spelt : spelt.charAt(0).toUpperCase() + spelt.slice(1);
  }
  return ascii;
}

/**
 * Spells a name in ASCII: accented Latin and Cyrillic letters are transliterated (`interface.md 2.1`),
 * typographic apostrophes become `'`, everything else stays as it is. Spelling a result again changes
 * nothing.
 *
 * @returns undefined when a cased letter has no transliteration, as a Greek one; characters that are no
 *   letters are left for the caller to judge
 */
export function transliterateName(name: string): string | undefined {
  let complete = true;
  const ascii = name
    .normalize('NFC')
    .replace(APOSTROPHES, "'")
    .replace(WORD, (word) => {
      const spelt = wordToAscii(word);
      complete &&= spelt !== undefined;
      return spelt ?? '';
    });
  return complete ? ascii : undefined;
}
