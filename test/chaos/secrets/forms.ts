/** How a secret looks where it was written down by mistake. */

/** Bytes as programs print them: in hex, in base64 at any place of what was encoded, as a list, as a number. */
function formsOfBytes(bytes: Buffer): string[] {
  return [
    bytes.toString('hex'),
    ...base64Forms(bytes),
    [...bytes].join(','),
    [...bytes].join(', '),
    BigInt(`0x${bytes.toString('hex')}`).toString(),
  ];
}

/** Encoded together with what stands before it, the same bytes look in one of three ways; both alphabets, no padding. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((alphabet) => whole.toString(alphabet).slice(first, last));
  });
}

/** Words in a row that nobody writes by chance. */
const TOLD_WORDS = 4;

/** A text as it is, escaped in an address, and as bytes; of several words also a few in a row, however they are parted. */
function formsOfText(text: string): string[] {
  const words = text.split(' ');
  const rows = words
    .slice(TOLD_WORDS - 1)
    .map((_, place) => words.slice(place, place + TOLD_WORDS))
    .flatMap((row) => [row.join(' '), row.join(','), row.join('","')]);
  return [text, encodeURIComponent(text), ...rows, ...formsOfBytes(Buffer.from(text))];
}

export type Secrets = Readonly<Record<string, string | Buffer>>;

/** @returns which of the secrets stand in a text, by their names */
export function foundIn(written: string, secrets: Secrets): string[] {
  const lower = written.toLowerCase();
  const isThere = (form: string) => written.includes(form) || lower.includes(form.toLowerCase());
  return Object.entries(secrets)
    .filter(([, secret]) =>
      (typeof secret === 'string' ? formsOfText(secret) : formsOfBytes(secret)).some(isThere),
    )
    .map(([name]) => name);
}
