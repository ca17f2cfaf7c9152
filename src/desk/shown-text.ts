/** Texts as every face shows them to people. */

/** Characters that would move a terminal's cursor or change the direction of text. Texts may be foreign. */
export const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Makes a foreign text safe for a terminal and a page, on one line. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, '\ufffd');

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
];

/** `4 d 2 h`, `12 min`, `5 s`: the two largest units. */
export function ageText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const from = Math.max(
    0,
    UNITS.findIndex((unit) => whole >= unit.seconds),
  );
  if (whole === 0) return '0 s';
  let left = whole;
  const parts = UNITS.slice(from, from + (from < 2 ? 2 : 1)).map((unit) => {
    const count = Math.floor(left / unit.seconds);
    left -= count * unit.seconds;
    return { count, name: unit.name };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(' ');
}
