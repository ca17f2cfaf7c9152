/** Permissive licences by their SPDX names. */
const ALLOWED = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages whose licence a person has read, because package.json names none or another one. */
const READ = {
  'caniuse-lite': 'CC-BY-4.0: data about browsers, named here',
  'dejavu-fonts-ttf': 'Bitstream Vera: fonts, free to use and to embed',
  memorystream: 'MIT, by its file LICENSE',
  'png-js': 'MIT, by its file LICENSE',
  unionfs: 'Unlicense, by its file LICENSE',
};
/** The same for packages that no image holds. */
const READ_FOR_DEVELOPMENT = { 'axe-core': 'MPL-2.0: unchanged, for tests of pages alone' };

/** Whether the terms of a locked package are known to be permissive. An expression needs all of `AND` and one of `OR`. */
export function isLicensed({ name, license, dev }) {
  if (name in READ || (dev && name in READ_FOR_DEVELOPMENT)) return true;
  if (typeof license !== 'string') return false;
  const terms = license.replace(/[()]/g, '').split(/ or /i);
  return terms.some((term) => term.split(/ and /i).every((one) => ALLOWED.has(one.trim())));
}
