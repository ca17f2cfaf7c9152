/**
 * Short form of the two JSON texts that nearly every stored event and answer consists of: card transactions and account
 * transactions. Half of their bytes are names of fields, so each fragment below is stored as one control character.
 * JSON escapes control characters, so none of them occurs in a text that begins as these do, and the whole text is
 * restored byte by byte. Other texts are stored as they are.
 *
 * `whole_text` in the schema restores a text in SQL, for people and reports. Stored texts use the numbers, so a
 * fragment is never changed or removed.
 */

/**
 * Fragments by the character that stands for them. A fragment begins with the quotation mark that ends a value, and
 * reaches into the next value.
 */
const FRAGMENTS: readonly (readonly [code: number, fragment: string])[] = [
  [0x01, '{"id":"ctx_'],
  [0x02, '{"id":"atx_'],
  [0x03, '","type":"authorization","referenceId":"ref_'],
  [0x04, '","referenceId":"ref_'],
  [0x05, '","cardId":"card_'],
  [0x06, '","transactionAmount":"'],
  [0x07, '","transactionCurrency":"'],
  [0x08, '","billingAmount":"'],
  [0x0b, '","billingCurrency":"'],
  [0x0c, '","timestamp":"20'],
  [0x0e, '","effect":{"available":"'],
  [0x0f, '","pending":"'],
  [0x10, '","spent":"'],
  [0x11, '"},"balanceAfter":{"available":"'],
  [0x12, '","balanceAfter":{"available":"'],
  [0x13, '","fee":"'],
  [0x14, '"},"createdAt":"20'],
  [0x15, '","updatedAt":"20'],
  [0x16, '","merchant":{"name":"'],
  [0x17, '","mcc":"'],
  [0x18, '","city":"'],
  [0x19, '","country":"'],
  [0x1a, '"},"timestamp":"20'],
  [0x1b, '","accountId":"acc_'],
  [0x1c, '","subtype":"'],
  [0x1d, '","amount":"'],
  [0x1e, '"},"balanceAfter":"'],
  [0x1f, '","linkedId":"ctx_'],
];

interface Fragment {
  code: string;
  /** The fragment after {@link VALUE}: the beginning of a value. */
  rest: string;
}

/** Begins a value that is a string. */
const VALUE = ':"';
const WHOLE = new Map(FRAGMENTS.map(([code, fragment]) => [String.fromCharCode(code), fragment]));
/** Fragments by their part up to {@link VALUE}. */
const BY_FIELD = new Map<string, Fragment[]>();
for (const [code, fragment] of WHOLE) {
  const end = fragment.indexOf(VALUE) + VALUE.length;
  const field = fragment.slice(0, end);
  BY_FIELD.set(field, [...(BY_FIELD.get(field) ?? []), { code, rest: fragment.slice(end) }]);
}
const [CARD, ACCOUNT] = FRAGMENTS.map(([, fragment]) => fragment) as [string, string];

/**
 * The text as it is stored. {@link wholeText} restores it. The loop goes from value to value, so that it reads the text
 * once.
 */
export function shortText(text: string): string {
  if (!text.startsWith(CARD) && !text.startsWith(ACCOUNT)) return text;
  let short = '';
  let written = 0;
  for (let from = 0; from >= 0; ) {
    const end = text.indexOf(VALUE, from) + VALUE.length;
    if (end < VALUE.length) break;
    const found = BY_FIELD.get(text.slice(from, end))?.find(({ rest }) => text.startsWith(rest, end));
    if (found) {
      short += text.slice(written, from) + found.code;
      written = end + found.rest.length;
    }
    from = text.indexOf('"', found ? written : end);
  }
  return short + text.slice(written);
}

/** The text that was given to {@link shortText}. */
export function wholeText(stored: string): string {
  // Only a shortened text begins with a control character. JSON, the other content, never does.
  if (stored >= ' ' || stored === '') return stored;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes are control characters
  return stored.replace(/[\u0001-\u001f]/g, (code) => WHOLE.get(code) ?? code);
}
