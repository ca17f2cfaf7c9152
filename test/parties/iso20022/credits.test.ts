import { askBack } from '../../../src/parties/iso20022/apply/recalls';
import {
  type AnsweredRecall,
  type RecalledPayment,
  writeRecallAnswer,
  writeRecallRequest,
} from '../../../src/parties/iso20022/messages/recalls';
import { type SandboxEntry, writeReport } from '../../../src/parties/iso20022/sandbox/reports';
import { type Files, files, ORDER } from './fixture';
import { AT, EUR_ACCOUNT, money } from './samples';

const IBAN = 'LT371999900000000001';
const BANKS = { from: 'SOGEDEFFXXX', to: undefined };

let on: Files;
let count = 0;
beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
});
afterAll(() => on.close());

async function give(name: string, xml: string): Promise<string> {
  count += 1;
  await on.drop(`${name}-${count}.xml`, xml, { old: true });
  return (await on.exchange.turn()).join();
}

async function booked(given: Partial<SandboxEntry> = {}): Promise<void> {
  count += 1;
  const entry: SandboxEntry = {
    reference: `BK${count}`,
    side: 'credit',
    amount: '250.00',
    currency: 'EUR',
    bookedAt: AT.toISOString(),
    endToEndId: 'E2E1',
    payer: { name: 'Grace Hopper', iban: 'FR1420041010050500013M02606' },
    payeeIban: IBAN,
    ...given,
  };
  const account = { iban: EUR_ACCOUNT, currency: 'EUR' };
  const messageId = `NT${count}`;
  const xml = writeReport({ kind: 'camt.054.001.08', messageId, at: AT, account, entries: [entry] });
  expect(await give('camt.054', xml)).toBe('booked');
}

/** The received payments, in their order. */
async function received() {
  const ids = [...new Set((await on.bank.changes(null)).changes.map(({ ref }) => ref))];
  return Promise.all(
    ids.map(async (id) => {
      const report = await on.bank.ask(id);
      if (report === 'unknown_to_party') throw new Error(id);
      return report;
    }),
  );
}

async function only() {
  const [report, other] = await received();
  if (!report || other) throw new Error('there is not one payment');
  return report;
}

const kinds = async () => (await on.breaks()).map((line) => line.split(':')[0]);

describe('a payment to a virtual IBAN', () => {
  it('is reported with its payer, who is sealed at rest', async () => {
    await booked();
    const { word, remitter } = await only();
    expect(word).toMatchObject({ version: 1, iban: IBAN, currency: 'EUR', recalls: [], returns: [] });
    expect(word.amount.toFixed(2)).toBe('250.00');
    expect(remitter).toEqual({ name: 'Grace Hopper', iban: 'FR1420041010050500013M02606' });
    const [row] = await on.test.database.query<{ payer: Buffer }>('select payer from bank_credits');
    expect(row?.payer.includes('Hopper')).toBe(false);
  });

  it('without a payer is reported too', async () => {
    await booked({ payer: undefined });
    expect((await only()).remitter).toBeUndefined();
  });

  it('is one for each reference of the bank', async () => {
    await booked({ reference: 'A' });
    await booked({ reference: 'A' });
    await booked({ reference: 'B' });
    expect(await received()).toHaveLength(2);
  });

  it('to our own account is shown, and is nobody’s', async () => {
    await booked({ payeeIban: undefined });
    expect(await received()).toEqual([]);
    expect(await kinds()).toEqual(['bank_entry_unmatched']);
  });

  it('that the bank does not know is unknown', async () => {
    expect(await on.bank.ask('crd-none')).toBe('unknown_to_party');
  });
});

describe('a return of a payment', () => {
  const back = async (amount = '250.00', key = 'dec_01') =>
    on.bank.giveBack({ key, creditId: (await only()).word.id, amount: money(amount).amount });
  const returns = async () =>
    (await only()).word.returns.map(({ key, amount, status }) => `${key} ${amount.toFixed()} ${status}`);

  it('leaves as a transfer that names the payment, and succeeds with its debit', async () => {
    await booked();
    await back();
    expect(await returns()).toEqual(['dec_01 250 pending']);
    await on.exchange.turn();
    const { text } = await on.placed('pain.001.001.09');
    expect(text).toContain('<Ustrd>RETURN E2E1</Ustrd>');
    expect(text).toContain('<IBAN>FR1420041010050500013M02606</IBAN>');
    await booked({ side: 'debit', endToEndId: 'DEC01', payer: undefined, payeeIban: undefined });
    expect(await returns()).toEqual(['dec_01 250 succeeded']);
    await booked({ endToEndId: 'DEC01', returned: 'AC04', payeeIban: undefined });
    expect(await returns()).toEqual(['dec_01 250 failed']);
  });

  it('is given once under its key', async () => {
    await booked();
    await back('100.00');
    await back('100.00');
    expect(await returns()).toEqual(['dec_01 100 pending']);
  });

  it('is not given twice by two processes', async () => {
    await booked();
    const both = await Promise.allSettled([back('200.00'), back('200.00', 'dec_02')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await returns()).toHaveLength(1);
  });

  it('may be given again when its transfer has come back', async () => {
    await booked();
    await back();
    await on.exchange.turn();
    await booked({ side: 'debit', endToEndId: 'DEC01', payer: undefined, payeeIban: undefined });
    await booked({ endToEndId: 'DEC01', returned: 'AC04', payeeIban: undefined });
    await back('250.00', 'dec_02');
    expect(await returns()).toEqual(['dec_01 250 failed', 'dec_02 250 pending']);
  });

  it('above the rest is refused', async () => {
    await booked();
    await back('200.00');
    await expect(back('50.01', 'dec_02')).rejects.toMatchObject({ code: 'amount_too_large' });
  });

  it('to a payer without an account is refused', async () => {
    await booked({ payer: { name: 'Grace Hopper' } });
    await expect(back()).rejects.toMatchObject({ code: 'payer_account_unknown' });
  });
});

describe('a recall of a received payment', () => {
  const asked = (given: Partial<RecalledPayment> = {}) =>
    give(
      'camt.056',
      writeRecallRequest(
        {
          messageId: `RC${(count += 1)}`,
          createdAt: AT,
          recalls: [
            {
              id: 'CXL1',
              endToEndId: 'E2E1',
              transactionId: undefined,
              uetr: undefined,
              money: money('250.00'),
              reason: 'DUPL',
              ...given,
            },
          ],
        },
        BANKS,
      ),
    );

  it('is shown to a person and moves no money', async () => {
    await booked();
    expect(await asked()).toBe('booked');
    const { word } = await only();
    expect(word.recalls).toEqual([]);
    expect(await on.test.database.query('select kind, subject, amount::text from breaks')).toEqual([
      { kind: 'bank_recall_asked', subject: word.id, amount: '250' },
    ]);
  });

  it('is answered when the payment is returned', async () => {
    await booked();
    await asked();
    const { id } = (await only()).word;
    await on.bank.giveBack({ key: 'dec_01', creditId: id, amount: money('250.00').amount });
    await on.exchange.turn();
    const { text } = await on.placed('camt.029.001.09');
    expect(text).toContain('<Conf>CNCL</Conf>');
    expect(text).toContain('<OrgnlEndToEndId>E2E1</OrgnlEndToEndId>');
  });

  it('that the bank books is a recall, and closes its break', async () => {
    await booked();
    await asked();
    await booked({
      side: 'debit',
      amount: '100.00',
      returned: 'FOCR',
      payer: undefined,
      payeeIban: undefined,
    });
    const { word } = await only();
    expect(word.recalls.map(({ amount }) => amount.toFixed())).toEqual(['100']);
    expect(word.version).toBe(2);
    expect(await kinds()).toEqual([]);
  });

  it('that comes after its debit is shown no more', async () => {
    await booked();
    await booked({ side: 'debit', returned: 'FOCR', payer: undefined, payeeIban: undefined });
    await asked();
    expect(await kinds()).toEqual([]);
  });

  it('of an unknown payment, and of one of two with the same reference, is shown', async () => {
    await asked();
    await booked();
    await booked();
    await asked();
    await booked({ side: 'debit', returned: 'FOCR', payer: undefined, payeeIban: undefined });
    expect((await received()).flatMap(({ word }) => word.recalls)).toEqual([]);
    expect(await kinds()).toEqual([
      'bank_reference_unknown',
      'bank_reference_unknown',
      'bank_entry_unmatched',
    ]);
  });

  it('above the payment is shown', async () => {
    await booked();
    await asked({ money: money('250.01') });
    expect(await kinds()).toEqual(['bank_report_contradicts']);
  });
});

describe('a recall of our payout', () => {
  const recall = () =>
    on.test.runtime.transaction((tx) => askBack(on.services, tx, { key: ORDER.key, reason: 'CUST' }));
  const isAnswered = async () => {
    const rows = await on.test.database.query<{ answered: boolean }>(
      `select answered_at is not null as answered from bank_files where kind = 'camt.056.001.08'`,
    );
    return rows[0]?.answered;
  };
  const answered = (given: Partial<AnsweredRecall>) =>
    give(
      'camt.029',
      writeRecallAnswer(
        {
          messageId: `RA${(count += 1)}`,
          createdAt: AT,
          answers: [
            {
              endToEndId: 'PAYOUTPAY01',
              transactionId: undefined,
              uetr: undefined,
              verdict: 'refused',
              reason: 'CUST',
              ...given,
            },
          ],
        },
        BANKS,
      ),
    );

  it('is asked once, after the payout has left', async () => {
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    await expect(recall()).rejects.toMatchObject({ code: 'not_sent' });
    await booked({
      side: 'debit',
      amount: '100.00',
      endToEndId: 'PAYOUTPAY01',
      payer: undefined,
      payeeIban: undefined,
    });
    await recall();
    await expect(recall()).rejects.toMatchObject({ code: 'recall_asked' });
    await on.exchange.turn();
    const { text } = await on.placed('camt.056.001.08');
    expect(text).toContain('<OrgnlEndToEndId>PAYOUTPAY01</OrgnlEndToEndId>');
    expect(await isAnswered()).toBe(false);
    await answered({ verdict: 'pending' });
    expect(await isAnswered()).toBe(true);
    await answered({});
    expect(await kinds()).toEqual(['bank_recall_refused']);
  });

  it('is answered by the money that comes back, too', async () => {
    const entry = { amount: '100.00', endToEndId: 'PAYOUTPAY01', payer: undefined, payeeIban: undefined };
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    await booked({ ...entry, side: 'debit' });
    await recall();
    await booked({ ...entry, side: 'credit', returned: 'CUST' });
    expect(await isAnswered()).toBe(true);
  });

  it('that has come back is refused', async () => {
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    const entry = { amount: '100.00', endToEndId: 'PAYOUTPAY01', payer: undefined, payeeIban: undefined };
    await booked({ ...entry, side: 'debit' });
    await booked({ ...entry, side: 'credit', returned: 'AC04' });
    await expect(recall()).rejects.toMatchObject({ code: 'returned' });
  });

  it('that nobody has asked for has no answer', async () => {
    await on.payouts.order(ORDER);
    await answered({});
    await answered({ endToEndId: 'NOBODY' });
    expect(await kinds()).toEqual(['bank_report_contradicts', 'bank_reference_unknown']);
  });
});
