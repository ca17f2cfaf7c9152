import { transliterate } from 'transliteration';

/**
 * Lower-case letters that the library does not know: Azerbaijani ə, Kazakh ә, Kurdish ԛ and ԝ, and letters of Abkhaz,
 * Nivkh and Sámi. Hard and soft signs and the palochka are dropped, because they have no sound of their own.
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

/** A run of cased letters with their accents. Scripts without case have no accepted letter. */
const WORD = /[\p{Lu}\p{Ll}\p{Lt}][\p{Lu}\p{Ll}\p{Lt}\u0300-\u036f]*/gu;
const ACCENTS = /[\u0300-\u036f]/g;
/** Phones type U+2019 as an apostrophe; Ukrainian spelling uses U+02BC. */
const APOSTROPHES = /[\u2019\u02bc]/g;
const LATIN_OR_CYRILLIC = /^[\p{Script=Latin}\p{Script=Cyrillic}]$/u;

/** The ASCII spelling of a lower-case letter, `''` for a dropped sign; undefined when there is none. */
function letterToAscii(letter: string): string | undefined {
  if (!LATIN_OR_CYRILLIC.test(letter)) return undefined;
  const known = SUPPLEMENT[letter];
  if (known !== undefined) return known;
  // The library marks soft and glottal letters by apostrophes (ґ is g'), which names do not have.
  const ascii = transliterate(letter).replaceAll("'", '');
  return /^[a-z]+$/i.test(ascii) ? ascii.toLowerCase() : undefined;
}

function wordToAscii(word: string): string | undefined {
  const letters = [...word.replace(ACCENTS, '')];
  // ß also occurs among capitals (GROßMANN), because most fonts and passports have no capital ß.
  const shouted = letters.length > 1 && !/(?!ß)\p{Ll}/u.test(word);
  let ascii = '';
  for (const letter of letters) {
    // Letters are spelt in lower case, because the library's tables of capitals have gaps (Ý gives U, ẞ nothing). The
    // lower case of İ keeps a dot, which is removed.
    const lower = letter.toLowerCase().replace(ACCENTS, '');
    const spelt = letterToAscii(lower);
    if (spelt === undefined) return undefined;
    if (shouted) ascii += spelt.toUpperCase();
    else ascii += letter === lower ? spelt : spelt.charAt(0).toUpperCase() + spelt.slice(1);
  }
  return ascii;
}

/**
 * Spells a name in ASCII: transliterates accented Latin and Cyrillic letters (`interface.md 2.1`), turns typographic
 * apostrophes into `'`, and keeps everything else. Idempotent.
 * @returns undefined when a cased letter has no transliteration, such as a Greek one; other characters are left for the
 * caller to check
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
