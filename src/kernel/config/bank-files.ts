import { isBic, isIban } from '../iban';
import { isCurrency, isIso4217 } from '../money/currencies';

/** An account of ours at the bank. */
export interface BankAccount {
  currency: string;
  iban: string;
}

/** Settings of a bank that is reached by files of ISO 20022. */
export interface BankFilesSettings {
  /** Holds `outgoing`, `incoming`, `taken` and `refused`. */
  folder: string;
  /** Our name, as the account's holder and as the sender of files. */
  company: string;
  bic: string;
  /** One for each currency. */
  accounts: readonly BankAccount[];
  /** The parties that the bank serves. */
  serves: readonly ('payouts' | 'bank')[];
  /** The payer of the banks' charges of a transfer by SWIFT: we (DEBT), or each side its own (SHAR). */
  swiftCharges: 'DEBT' | 'SHAR';
  /** Seconds that an order waits for others of its file. */
  batchSeconds: number;
  /** Seconds after which an unfinished or unsigned file is refused. */
  settleSeconds: number;
  /** Ed25519 key of the detached signature of each incoming file, 32 bytes. Absent: the folder alone is trusted. */
  signer: Buffer | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const FOLDER = 'BANK_FILES_FOLDER';
const OTHERS = [
  'BANK_COMPANY',
  'BANK_BIC',
  'BANK_ACCOUNTS',
  'BANK_FILES_SERVE',
  'BANK_SWIFT_CHARGES',
  'BANK_FILES_BATCH_SECONDS',
  'BANK_FILES_SETTLE_SECONDS',
  'BANK_FILES_SIGNER',
];

/** The variables of this file. */
export const BANK_FILES_VARIABLES: readonly string[] = [FOLDER, ...OTHERS];

/**
 * Reads `BANK_FILES_FOLDER` and the variables beside it.
 * @returns the settings, undefined without the folder; and a line for each wrong variable
 */
export function readBankFiles(given: Environment): {
  bankFiles: BankFilesSettings | undefined;
  wrong: string[];
} {
  const folder = given[FOLDER];
  if (folder === undefined) {
    const strangers = OTHERS.filter((name) => given[name] !== undefined);
    return { bankFiles: undefined, wrong: strangers.map((name) => `${name}: must be given with ${FOLDER}`) };
  }
  const company = (given['BANK_COMPANY'] ?? '').trim();
  const bic = given['BANK_BIC'] ?? '';
  const { accounts, wrong: wrongAccounts } = accountsIn(given['BANK_ACCOUNTS'] ?? '');
  const serves = (given['BANK_FILES_SERVE'] ?? 'payouts,bank').split(',').map((name) => name.trim());
  const swiftCharges = given['BANK_SWIFT_CHARGES'] ?? 'DEBT';
  const [batchSeconds, settleSeconds] = [
    secondsIn(given['BANK_FILES_BATCH_SECONDS'], 60),
    secondsIn(given['BANK_FILES_SETTLE_SECONDS'], 120),
  ];
  const signer = given['BANK_FILES_SIGNER'];
  const key = signer === undefined ? undefined : Buffer.from(signer, 'base64');
  const wrong = [
    ...(/^[A-Za-z0-9/\-?:().,'+ ]{1,70}$/.test(company)
      ? []
      : ['BANK_COMPANY: must be 1 to 70 Latin letters, digits or signs of SEPA']),
    ...(isBic(bic) ? [] : ['BANK_BIC: must be the BIC of the bank']),
    ...wrongAccounts,
    ...(serves.length > 0 && serves.every(isServed)
      ? []
      : ['BANK_FILES_SERVE: must be payouts, bank or both']),
    ...(isCharges(swiftCharges) ? [] : ['BANK_SWIFT_CHARGES: must be DEBT or SHAR']),
    ...(batchSeconds === undefined
      ? ['BANK_FILES_BATCH_SECONDS: must be a whole number from 0 to 86400']
      : []),
    ...(settleSeconds === undefined
      ? ['BANK_FILES_SETTLE_SECONDS: must be a whole number from 0 to 86400']
      : []),
    ...(key && key.length !== 32
      ? ['BANK_FILES_SIGNER: must be an Ed25519 public key of 32 bytes in base64']
      : []),
  ];
  if (wrong.length > 0) return { bankFiles: undefined, wrong };
  return {
    bankFiles: {
      folder,
      company,
      bic,
      accounts,
      serves: serves.filter(isServed),
      swiftCharges: isCharges(swiftCharges) ? swiftCharges : 'DEBT',
      batchSeconds: batchSeconds ?? 60,
      settleSeconds: settleSeconds ?? 120,
      signer: key,
    },
    wrong: [],
  };
}

const isServed = (name: string): name is 'payouts' | 'bank' => name === 'payouts' || name === 'bank';

const isCharges = (text: string): text is 'DEBT' | 'SHAR' => text === 'DEBT' || text === 'SHAR';

function secondsIn(text: string | undefined, otherwise: number): number | undefined {
  if (text === undefined) return otherwise;
  return /^\d{1,5}$/.test(text) && Number(text) <= 86_400 ? Number(text) : undefined;
}

/** `EUR=DE89…,USD=DE02…`: one account for each currency. */
function accountsIn(text: string): { accounts: BankAccount[]; wrong: string[] } {
  const accounts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): BankAccount => {
      const [currency = '', iban = ''] = part.split('=');
      return { currency, iban };
    });
  const isRight = ({ currency, iban }: BankAccount) =>
    isIso4217(currency) && isCurrency(currency) && isIban(iban);
  const once = (of: (account: BankAccount) => string) => new Set(accounts.map(of)).size === accounts.length;
  const isWhole =
    accounts.length > 0 &&
    accounts.every(isRight) &&
    once(({ currency }) => currency) &&
    once(({ iban }) => iban);
  return isWhole
    ? { accounts, wrong: [] }
    : {
        accounts: [],
        wrong: ['BANK_ACCOUNTS: must be CURRENCY=IBAN, separated by commas, one for each currency'],
      };
}
