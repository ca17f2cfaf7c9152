import { type SandboxEntry, writeReport } from '../../../src/parties/iso20022/sandbox/reports';
import { type Files, files, ORDER } from './fixture';
import { AT, EUR_ACCOUNT } from './samples';

const IBAN = 'LT371999900000000001';
const DEBIT = { side: 'debit', amount: '100.00', endToEndId: 'PAYOUTPAY01', payeeIban: undefined } as const;

let on: Files;
let count = 0;
beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
});
afterAll(() => on.close());

const entry = (reference: string, given: Partial<SandboxEntry> = {}): SandboxEntry => ({
  reference,
  side: 'credit',
  amount: '250.00',
  currency: 'EUR',
  bookedAt: AT.toISOString(),
  endToEndId: 'E2E1',
  transactionId: 'TX1',
  payeeIban: IBAN,
  ...given,
});

async function report(
  kind: 'camt.053.001.08' | 'camt.054.001.08',
  entries: readonly SandboxEntry[],
  given: { number?: number; balances?: { opening: string; closing: string } } = {},
): Promise<void> {
  count += 1;
  const account = { iban: EUR_ACCOUNT, currency: 'EUR' };
  const xml = writeReport({ kind, messageId: `RN${count}`, at: AT, account, entries, ...given });
  await on.drop(`${count}.xml`, xml, { old: true });
  expect(await on.exchange.turn()).toEqual(['booked']);
}

const notify = (...entries: SandboxEntry[]) => report('camt.054.001.08', entries);
const state = (closing: string, ...entries: SandboxEntry[]) =>
  report('camt.053.001.08', entries, { number: 1, balances: { opening: '0.00', closing } });

const credits = async () =>
  (await on.test.database.query<{ amount: string }>('select amount::text from bank_credits')).map(
    ({ amount }) => amount,
  );
const notStated = () => on.test.database.query('select 1 from bank_entries where statement_id is null');
const kinds = async () => (await on.breaks()).map((line) => line.split(':')[0]);

describe('a payment that notification and statement name differently', () => {
  it('is credited once', async () => {
    await notify(entry('A'));
    await state('250.00', entry('OTHER'));
    expect(await credits()).toEqual(['250']);
    expect(await notStated()).toEqual([]);
    expect((await kinds()).filter((kind) => kind !== 'bank_balance_differs')).toEqual([]);
  });

  it('is credited once, and shown, where the notification comes late or again', async () => {
    await state('250.00', entry('OTHER'));
    await notify(entry('A'));
    await notify(entry('B'));
    expect(await credits()).toEqual(['250']);
    expect(await kinds()).toContain('bank_payment_repeated');
  });

  it('is no other payment: of another transaction, amount or IBAN', async () => {
    await notify(
      entry('A'),
      entry('B', { transactionId: 'TX2' }),
      entry('C', { amount: '1.00' }),
      entry('D', { payeeIban: 'LT371999900000000002' }),
      entry('E', { transactionId: undefined }),
    );
    expect(await credits()).toHaveLength(5);
  });

  it('pays an order once', async () => {
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    await notify(entry('A', DEBIT));
    await state('-100.00', entry('OTHER', DEBIT));
    const [row] = await on.test.database.query('select debited::text, sent::text from bank_orders');
    expect(row).toEqual({ debited: '100', sent: '100' });
    expect(await notStated()).toEqual([]);
    expect(await kinds()).not.toContain('bank_report_contradicts');
  });

  it('brings an order back once, and a second part of the same amount too', async () => {
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    await notify(entry('A', DEBIT));
    const back = { ...DEBIT, side: 'credit', amount: '50.00', returned: 'AC04' } as const;
    await notify(entry('R1', back));
    await state('0.00', entry('A', DEBIT), entry('R2', back), entry('R1', back));
    const word = await on.payouts.ask(ORDER.key);
    expect(word).toMatchObject({ status: 'returned' });
    expect((word as { returns: unknown[] }).returns).toHaveLength(2);
    expect(await notStated()).toEqual([]);
    expect(await credits()).toEqual([]);
  });
});
