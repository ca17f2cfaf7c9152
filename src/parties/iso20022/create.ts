import type { Logger } from 'pino';
import type { BankFilesSettings } from '../../kernel/config/bank-files';
import type { Database } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { createFileBank } from '../bank/iso20022/bank';
import type { Bank } from '../bank/port';
import { createFilePayouts } from '../payouts/iso20022/payouts';
import type { PayoutParty } from '../payouts/port';
import { createFileExchange } from './exchange';
import type { OnStep } from './outgoing';
import { createXmlReader } from './xml/reader';

export interface BankFilesOptions {
  database: Database;
  keyring: Keyring;
  log: Logger;
  now(): Date;
  machineNow(): Date;
  /** Seconds that the books may differ from the bank's balance. Default: an hour. */
  settlementDifferenceSeconds?: number | undefined;
  /** For tests: called between two steps. */
  onStep?: OnStep | undefined;
}

/** The parties that the bank of the folder serves. */
export function createBankFiles(
  settings: BankFilesSettings,
  options: BankFilesOptions,
): { payouts?: PayoutParty; bank?: Bank } {
  const { database, keyring, log, now, machineNow, settlementDifferenceSeconds = 3_600, onStep } = options;
  const services = { settings, database, keyring, log, now, machineNow, reader: createXmlReader() };
  const exchange = createFileExchange(services, {
    differenceMs: settlementDifferenceSeconds * 1_000,
    onStep,
  });
  return {
    ...(settings.serves.includes('payouts') ? { payouts: createFilePayouts(services, exchange) } : {}),
    ...(settings.serves.includes('bank') ? { bank: createFileBank(services, exchange) } : {}),
  };
}
