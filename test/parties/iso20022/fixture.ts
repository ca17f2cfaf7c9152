import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { BankFilesSettings } from '../../../src/kernel/config/bank-files';
import { createFileBank } from '../../../src/parties/bank/iso20022/bank';
import { createFileExchange, type FileExchange } from '../../../src/parties/iso20022/exchange';
import { SUBFOLDERS } from '../../../src/parties/iso20022/folder';
import type { OnStep } from '../../../src/parties/iso20022/outgoing';
import type { BankFilesServices } from '../../../src/parties/iso20022/services';
import { createXmlReader, type XmlReader } from '../../../src/parties/iso20022/xml/reader';
import { createFilePayouts } from '../../../src/parties/payouts/iso20022/payouts';
import type { PayoutOrder } from '../../../src/parties/payouts/port';
import { type TestDatabase, testDatabase } from '../../support/database';
import { testKeyring } from '../../support/keyring';
import { EUR_ACCOUNT, money, USD_ACCOUNT } from './samples';

export const SETTINGS: Omit<BankFilesSettings, 'folder'> = {
  company: 'Example Cards GmbH',
  bic: 'SOGEDEFFXXX',
  accounts: [
    { currency: 'EUR', iban: EUR_ACCOUNT },
    { currency: 'USD', iban: USD_ACCOUNT },
  ],
  serves: ['payouts', 'bank'],
  swiftCharges: 'DEBT',
  batchSeconds: 0,
  settleSeconds: 60,
  signer: undefined,
};

const TABLES = [
  'bank_files',
  'bank_orders',
  'bank_order_returns',
  'bank_credits',
  'bank_credit_recalls',
  'bank_entries',
  'bank_statements',
  'balance_readings',
  'bank_changes',
];

/** One process that exchanges files. */
export interface Process {
  services: BankFilesServices;
  exchange: FileExchange;
  payouts: ReturnType<typeof createFilePayouts>;
  bank: ReturnType<typeof createFileBank>;
}

export interface Files extends Process {
  test: TestDatabase;
  folder: string;
  /** Another process on the same folder and database. */
  another(given?: {
    onStep?: OnStep;
    settings?: Partial<BankFilesSettings>;
    machineNow?: () => Date;
  }): Process;
  /** Places a file of the bank. `old`: it was written long ago. */
  drop(name: string, content: string | Buffer, given?: { old?: boolean }): Promise<void>;
  list(folder: 'outgoing' | 'incoming' | 'taken' | 'refused'): Promise<string[]>;
  /** The only placed file of a kind. */
  placed(kind: string): Promise<{ name: string; text: string }>;
  /** Open breaks as `kind: detail`. */
  breaks(): Promise<string[]>;
  /** Forgets all files, orders and breaks. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** The thread starts once for a test file, because that takes half a second. */
const reader: XmlReader = createXmlReader();
afterAll(() => reader.close());

export async function files(): Promise<Files> {
  const test = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'bank-files-'));
  const keyring = testKeyring();
  const another: Files['another'] = ({ onStep, settings = {}, machineNow = () => new Date() } = {}) => {
    const services: BankFilesServices = {
      settings: { ...SETTINGS, folder, ...settings },
      database: test.runtime,
      keyring,
      log: pino({ level: 'silent' }),
      reader,
      now: () => new Date(),
      machineNow,
    };
    const exchange = createFileExchange(services, { differenceMs: 0, onStep });
    return {
      services,
      exchange,
      payouts: createFilePayouts(services, exchange),
      bank: createFileBank(services, exchange),
    };
  };
  const first = another();
  await first.exchange.turn(); // makes the folders
  const list: Files['list'] = async (name) =>
    (await readdir(join(folder, name))).filter((each) => !each.startsWith('.')).sort();
  return {
    ...first,
    test,
    folder,
    another,
    list,
    async drop(name, content, { old = false } = {}) {
      const path = join(folder, 'incoming', name);
      await writeFile(path, content);
      if (old) await utimes(path, new Date(0), new Date(0));
    },
    async placed(kind) {
      const found = (await list('outgoing')).filter((name) => name.endsWith(`.${kind}.xml`));
      if (found.length !== 1) throw new Error(`${found.length} files of ${kind}`);
      const [name = ''] = found;
      return { name, text: await readFile(join(folder, 'outgoing', name), 'utf8') };
    },
    async breaks() {
      const rows = await test.database.query<{ kind: string; detail: string }>(
        'select kind, detail from breaks where resolved_at is null order by created_at, id',
      );
      return rows.map(({ kind, detail }) => `${kind}: ${detail}`);
    },
    async reset() {
      await test.database.query(`truncate ${TABLES.join()}`);
      await test.database.query('delete from breaks');
      for (const name of [...SUBFOLDERS, 'sent']) {
        await rm(join(folder, name), { recursive: true, force: true });
        await mkdir(join(folder, name));
      }
    },
    async close() {
      await test.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const newKey = (): string => `payout-pay_${randomBytes(8).toString('hex')}`;

export const ORDER: PayoutOrder = {
  key: 'payout-pay_01',
  method: 'sepa',
  ...money('100.00'),
  destination: { name: 'Ada Lovelace', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  callbackUrl: 'https://cards.example.com/callbacks/payouts',
};

export const messageIdIn = (xml: string): string => /<MsgId>([^<]+)</.exec(xml)?.[1] ?? '';
