declare module 'slip39' {
  /** The parts of the library that we use. It takes and gives plain arrays of bytes; a Buffer gives wrong shares. */
  class Slip39 {
    static fromArray(
      secret: number[],
      options: {
        passphrase: string;
        threshold: number;
        groups: [number, number, string][];
        iterationExponent: number;
        extendableBackupFlag: 0 | 1;
      },
    ): { root: { mnemonics: string[] } };
    static recoverSecret(mnemonics: string[], passphrase?: string): number[];
    static validateMnemonic(mnemonic: string): boolean;
  }
  export default Slip39;
}

declare module 'slip39/src/slip39_helper.js' {
  const helper: { WORD_LIST: readonly string[] };
  export default helper;
}
