import type Slip39 from 'slip39';

/**
 * The library of SLIP-39, loaded at the first use. The library adds enumerable methods to the prototypes of Array and
 * String, which every `for … in` over an array would meet. So only a ceremony loads it, and hides the methods at once.
 *
 * Errors of the library quote words of the share, so no message of the library is ever shown.
 */
export interface Slip39Library {
  split: typeof Slip39.fromArray;
  combine: typeof Slip39.recoverSecret;
  isValid: typeof Slip39.validateMnemonic;
  /** The place of each word in the list of SLIP-39. */
  places: ReadonlyMap<string, number>;
}

let loaded: Promise<Slip39Library> | undefined;

export const slip39 = (): Promise<Slip39Library> => (loaded ??= load());

async function load(): Promise<Slip39Library> {
  const before = new Map(PROTOTYPES.map((prototype) => [prototype, new Set(Object.keys(prototype))]));
  const { default: library } = await import('slip39');
  const { default: helper } = await import('slip39/src/slip39_helper.js');
  for (const [prototype, names] of before)
    for (const name of Object.keys(prototype))
      if (!names.has(name)) Object.defineProperty(prototype, name, { enumerable: false });
  return {
    split: (secret, options) => library.fromArray(secret, options),
    combine: (shares, passphrase) => library.recoverSecret(shares, passphrase),
    isValid: (share) => library.validateMnemonic(share),
    places: new Map(helper.WORD_LIST.map((word, place) => [word, place])),
  };
}

const PROTOTYPES: readonly object[] = [Array.prototype, String.prototype];
