/** An operator whose signature on an allow-list counts. */
export interface SignerOperator {
  /** His name at the desk. */
  name: string;
  /** Ed25519, 32 bytes. */
  publicKey: Buffer;
}

export interface ReadSignerOperators {
  /** Undefined when one is wrong. */
  operators: readonly SignerOperator[] | undefined;
  /** Sentences without a subject. */
  wrong: string[];
}

/** Signatures that an allow-list needs, each of another operator. */
export const SIGNATURES = 2;

const ENTRY = /^([^:\s]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/** Reads a list of `name:base64`, separated by commas or white space. One key under two names would sign for both. */
export function readSignerOperators(text: string): ReadSignerOperators {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const operators = entries.flatMap((entry) => {
    const [, name, key] = ENTRY.exec(entry) ?? [];
    return name && key ? [{ name, publicKey: Buffer.from(key, 'base64') }] : [];
  });
  const isTwice = (values: readonly string[]) => new Set(values).size < values.length;
  const wrong = [
    ...(operators.length < entries.length
      ? ['must be a list of name:key, each key an Ed25519 public key of 32 bytes in base64']
      : []),
    ...(entries.length < SIGNATURES ? [`must name at least ${SIGNATURES} operators`] : []),
    ...(isTwice(operators.map(({ name }) => name)) ? ['must not name an operator twice'] : []),
    ...(isTwice(operators.map(({ publicKey }) => publicKey.toString('hex')))
      ? ['must not give a key to two operators']
      : []),
  ];
  return { operators: wrong.length === 0 ? operators : undefined, wrong };
}
