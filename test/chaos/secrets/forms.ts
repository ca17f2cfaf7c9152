/** Forms that a secret has when it was written by mistake. */

/** Forms of bytes in the output of programs: hex, base64 at any offset, list, number. */
function formsOfBytes(bytes: Buffer): string[] {
  return [
    bytes.toString('hex'),
    ...base64Forms(bytes),
    [...bytes].join(','),
    [...bytes].join(', '),
    BigInt(`0x${bytes.toString('hex')}`).toString(),
  ];
}

/**
 * Base64 forms. Bytes that are encoded together with bytes before them have one of three forms. Covers both alphabets,
 * without padding.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((alphabet) => whole.toString(alphabet).slice(first, last));
  });
}

/** Number of consecutive words that no text has by chance. */
const TOLD_WORDS = 4;

/**
 * Forms of a text: unchanged, escaped in an address, and as bytes. A text of several words also gives groups of
 * consecutive words with any separator.
 */
function formsOfText(text: string): string[] {
  const words = text.split(' ');
  const rows = words
    .slice(TOLD_WORDS - 1)
    .map((_, place) => words.slice(place, place + TOLD_WORDS))
    .flatMap((row) => [row.join(' '), row.join(','), row.join('","')]);
  return [text, encodeURIComponent(text), ...rows, ...formsOfBytes(Buffer.from(text))];
}

export type Secrets = Readonly<Record<string, string | Buffer>>;

/** @returns the names of the secrets that the text contains */
export function foundIn(written: string, secrets: Secrets): string[] {
  const lower = written.toLowerCase();
  const isThere = (form: string) => written.includes(form) || lower.includes(form.toLowerCase());
  return Object.entries(secrets)
    .filter(([, secret]) =>
      (typeof secret === 'string' ? formsOfText(secret) : formsOfBytes(secret)).some(isThere),
    )
    .map(([name]) => name);
}
