import type { Logger } from 'pino';
import type { BankFilesSettings } from '../../kernel/config/bank-files';
import type { Database } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import type { XmlReader } from './xml/reader';

/** The services of the exchange of files with the bank. */
export interface BankFilesServices {
  settings: BankFilesSettings;
  database: Database;
  keyring: Pick<Keyring, 'sealer'>;
  log: Logger;
  reader: XmlReader;
  /** The product's time. */
  now(): Date;
  /** The machine's time, by which files are old. */
  machineNow(): Date;
}

export const SEALED_UNDER = 'bank-files';
