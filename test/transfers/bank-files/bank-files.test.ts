import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { createFileBank } from '../../../src/parties/bank/iso20022/bank';
import { createFileExchange, type FileExchange } from '../../../src/parties/iso20022/exchange';
import { compareBalances } from '../../../src/parties/iso20022/reconcile';
import { createSandboxFileBank, type SandboxFileBank } from '../../../src/parties/iso20022/sandbox/bank';
import type { BankFilesServices } from '../../../src/parties/iso20022/services';
import { createXmlReader } from '../../../src/parties/iso20022/xml/reader';
import { createFilePayouts } from '../../../src/parties/payouts/iso20022/payouts';
import { moveSettlement } from '../../../src/transfers/settlement/move';
import { resolveSuspense } from '../../../src/transfers/suspense';
import { createReading } from '../../../src/watch/watch';
import { asOperator, key, operators, type Person } from '../../desk/support';
import { SETTINGS } from '../../parties/iso20022/fixture';
import { EUR_ACCOUNT, USD_ACCOUNT } from '../../parties/iso20022/samples';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type TestDatabase, testDatabase } from '../../support/database';
import { testDesk } from '../../support/desk';
import { testKeyring } from '../../support/keyring';
import { creditIdOf, enabled, ibanBalance, lookedAtCredit } from '../iban/support';
import { created, fundedAccount, look, read } from '../payouts/support';

/** The product with a bank by files, and the sandbox's bank on the other side of the folder. */
const reader = createXmlReader();
const keyring = testKeyring();
let test: TestDatabase;
let folder: string;
let api: TestApi;
let client: Client;
let bank: SandboxFileBank;
let exchange: FileExchange;
let services: BankFilesServices;
let readings: ReturnType<typeof createReading>[];
let clock = new Date();

beforeAll(async () => {
  test = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'bank-files-'));
  const now = () => clock;
  services = {
    settings: { ...SETTINGS, folder },
    database: test.runtime,
    keyring,
    log: pino({ level: 'silent' }),
    reader,
    now,
    machineNow: () => new Date(),
  };
  exchange = createFileExchange(services, { differenceMs: 0 });
  const parties = {
    payouts: createFilePayouts(services, exchange),
    bank: createFileBank(services, exchange),
  };
  api = await testApi({ on: test, keyring, parties, now });
  const accounts = [
    { currency: 'EUR', iban: EUR_ACCOUNT },
    { currency: 'USD', iban: USD_ACCOUNT },
  ];
  bank = await createSandboxFileBank({ folder, accounts, reader, now });
  readings = [createReading(api.services, 'payouts'), createReading(api.services, 'bank')];
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(async () => {
  await api.close();
  await reader.close();
  await test.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Moves the clock. Both sides exchange their files, and the watcher reads them. */
async function pass(seconds = 0): Promise<void> {
  clock = new Date(clock.getTime() + seconds * 1_000);
  await exchange.turn();
  await bank.turn();
  await exchange.turn();
  // A reading tells the pages of the one before.
  for (let turns = 0; turns < 2; turns += 1) for (const reading of readings) await reading.read();
}

/** Creates a payout and gives its order. */
async function paid(amount: string, given: Parameters<typeof created>[2] = {}) {
  const accountId = await fundedAccount(api, client, '5000.00', given.currency);
  const id = await created(client, accountId, { amount, ...given });
  await look(api, id);
  await pass();
  const status = async () => {
    await look(api, id);
    return (await read(client, accountId, id)).status as string;
  };
  return { id, accountId, status, show: () => read(client, accountId, id) };
}

describe('a payout by files', () => {
  it('is completed when the bank has booked it', async () => {
    const { status } = await paid('100.00');
    expect(await status()).toBe('completed');
  });

  it('by SWIFT is completed too', async () => {
    const destination = {
      name: 'Alan Turing',
      accountNumber: '000123456789',
      bic: 'CHASUS33XXX',
      country: 'US',
    };
    const { status } = await paid('100.00', { method: 'swift', currency: 'USD', destination });
    expect(await status()).toBe('completed');
  });

  it('that the bank refuses fails, beside others of its file that do not', async () => {
    const accountId = await fundedAccount(api, client);
    const ids = [
      await created(client, accountId, { amount: '901.01' }),
      await created(client, accountId, { amount: '10.00' }),
    ];
    for (const id of ids) await look(api, id);
    await pass();
    for (const id of ids) await look(api, id);
    const shown = await Promise.all(ids.map((id) => read(client, accountId, id)));
    expect(shown.map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(shown[0].failure).toBe('account_closed');
  });

  it('that comes back is returned, in parts as well', async () => {
    const { status, show } = await paid('901.14');
    expect(await status()).toBe('completed');
    await pass(20);
    expect(await status()).toBe('returned');
    await pass(20);
    await status();
    expect((await show()).returnedAmount).toBe('901.14');
  });

  it('that is late stays open, and every file may come twice', async () => {
    const late = await paid('901.02');
    expect(await late.status()).toBe('processing');
    await pass(20);
    expect(await late.status()).toBe('completed');
    const twice = await paid('901.12');
    expect(await twice.status()).toBe('completed');
  });

  it('that is recalled comes back, or is kept', async () => {
    const [given, kept] = [await paid('75.00'), await paid('75.99')];
    const desk = await testDesk(api.services);
    const [person] = (await operators(api, 'ida')) as [Person];
    const ida = await asOperator(desk.url, person);
    const recall = (id: string) =>
      ida('POST', 'decisions/payout.recall', { subject: id, input: {}, reason: 'paid by mistake' }, key());
    for (const { id, status } of [given, kept]) {
      expect(await status()).toBe('completed');
      expect((await recall(id)).status).toBe(200);
      expect((await recall(id)).status).toBe(409);
      const { body } = await ida('GET', `records/${id}`);
      expect(body.record.recall).toBe('asked');
    }
    await desk.close();
    expect(
      await api.database.query(
        `select actor, after from audit_log where action = 'payout.recall' order by id`,
      ),
    ).toEqual(
      [given, kept].map(() => ({
        actor: 'operator:ida',
        after: expect.objectContaining({ recall: 'asked', code: 'CUST' }),
      })),
    );
    await pass();
    await pass();
    expect([await given.status(), await kept.status()]).toEqual(['returned', 'completed']);
    const rows = await api.database.query(`select 1 from breaks where kind = 'bank_recall_refused'`);
    expect(rows).toHaveLength(1);
  });

  it('is never paid by an order that no file can express', async () => {
    const { status, show } = await paid('100.00', {
      destination: {
        name: '𐎀', // a letter without a Latin one
        iban: 'DE89370400440532013000',
      },
    });
    expect(await status()).toBe('failed');
    expect((await show()).failure).toBe('name_missing');
  });
});

describe('a payment to a virtual IBAN by files', () => {
  /** Pays and looks until the record stands. @returns the bank's id */
  async function received(
    iban: string,
    amount: string,
    payer = { name: 'Grace Hopper', iban: 'FR1420041010050500013M02606' },
  ) {
    const before = await ids();
    await bank.receive({ iban, amount, payer });
    await pass();
    const [bankId = ''] = (await ids()).filter((id) => !before.includes(id));
    await lookedAtCredit(api, bankId);
    return bankId;
  }
  const ids = async () =>
    (await api.database.query<{ id: string }>('select id from bank_credits order by created_at')).map(
      ({ id }) => id,
    );
  const statusOf = async (bankId: string) => {
    const [row] = await api.database.query<{ status: string }>(
      'select status from transfers where party_ref = $1',
      [bankId],
    );
    return row?.status;
  };

  it('is credited once', async () => {
    const { iban } = await enabled(api, client);
    const bankId = await received(iban, '250.00');
    await pass();
    await lookedAtCredit(api, bankId);
    expect(await ibanBalance(client)).toBe('250.00 0.00');
    expect(await statusOf(bankId)).toBe('credited');
  });

  it('that the payer’s bank takes back is recalled', async () => {
    const { iban } = await enabled(api, client);
    const bankId = await received(iban, '801.01');
    expect(await ibanBalance(client)).toBe('801.01 0.00');
    await pass(5);
    await lookedAtCredit(api, bankId);
    expect(await statusOf(bankId)).toBe('recalled');
    expect(await ibanBalance(client)).toBe('0.00 0.00');
  });

  it('for nobody stands in suspense, and is returned by a person', async () => {
    const bankId = await received('LT691999900000099999', '30.00');
    expect(await statusOf(bankId)).toBe('suspended');
    const id = await creditIdOf(api, bankId);
    await api.services.database.transaction((tx) =>
      resolveSuspense(api.services, tx, {
        transferId: id,
        resolution: 'return',
        reason: 'for nobody',
        decidedBy: 'operator:ada',
      }),
    );
    await lookedAtCredit(api, bankId);
    await pass();
    await lookedAtCredit(api, bankId);
    expect(await statusOf(bankId)).toBe('returned');
  });
});

describe('a statement', () => {
  const compared = async () => {
    const [eur] = (await compareBalances(services)).filter(({ currency }) => currency === 'EUR');
    return eur && eur.reported.minus(eur.booked).toFixed(2);
  };

  it('of all that has happened has the balance of the books', async () => {
    await paid('100.00').then(({ status }) => status());
    await bank.closeStatement('EUR');
    await pass();
    expect(await compared()).toBe('0.00');
  });

  it('differs by what no transfer has moved, until a person books it', async () => {
    await bank.receive({ iban: EUR_ACCOUNT, amount: '500.00' });
    await bank.closeStatement('EUR');
    await pass();
    expect(await compared()).toBe('500.00');
    const move = { party: 'bank', currency: 'EUR', amount: new Decimal('500.00'), as: 'funding' } as const;
    await api.services.database.transaction((tx) => moveSettlement(tx, move, clock));
    expect(await compared()).toBe('0.00');
  });
});
