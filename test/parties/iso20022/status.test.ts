/** @long */
import { Decimal } from '../../../src/kernel/money/money';
import { readCreditTransfers } from '../../../src/parties/iso20022/messages/credit-transfers';
import { writePaymentReturns } from '../../../src/parties/iso20022/messages/payment-return';
import {
  type GroupStatus,
  type StatusReport,
  writeStatusReport,
} from '../../../src/parties/iso20022/messages/status-report';
import { type SandboxEntry, writeReport } from '../../../src/parties/iso20022/sandbox/reports';
import { lockByName } from '../../../src/parties/iso20022/store/orders';
import { until } from '../../support/until';
import { type Files, files, ORDER } from './fixture';
import { AT, EUR_ACCOUNT, money } from './samples';

let on: Files;
let original: string;
let group: string;
let names: string[];
let count = 0;

const [ONE, TWO] = ['payout-pay_one', 'payout-pay_two'];

beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
  await on.payouts.order({ ...ORDER, key: ONE });
  await on.payouts.order({ ...ORDER, key: TWO, ...money('50.00') });
  await on.exchange.turn();
  const { text } = await on.placed('pain.001.001.09');
  const result = await on.services.reader.read(Buffer.from(text));
  if ('fault' in result) throw new Error(result.fault);
  const read = readCreditTransfers(result.tree);
  original = read.messageId;
  group = read.groups[0]?.id ?? '';
  names = ['PAYOUTPAYONE', 'PAYOUTPAYTWO'];
});
afterAll(() => on.close());

/** Gives the bank's answer to the file. */
async function tell(given: Partial<StatusReport>, groups: readonly GroupStatus[] = []): Promise<string> {
  count += 1;
  const report = { messageId: `ST${count}`, createdAt: AT, original, groups, ...given };
  return give('pain.002', writeStatusReport(report));
}

async function give(name: string, xml: string): Promise<string> {
  count += 1;
  await on.drop(`${name}-${count}.xml`, xml, { old: true });
  return (await on.exchange.turn()).join();
}

const ofOne = (status: string, reason?: string): GroupStatus[] => [
  { id: group, transfers: [{ endToEndId: names[0], status, reason }] },
];

/** Books an entry of the first order. */
function booked(given: Partial<SandboxEntry> = {}): Promise<string> {
  count += 1;
  const entry: SandboxEntry = {
    reference: `BK${count}`,
    side: 'debit',
    amount: '100.00',
    currency: 'EUR',
    bookedAt: AT.toISOString(),
    endToEndId: names[0],
    ...given,
  };
  const account = { iban: EUR_ACCOUNT, currency: 'EUR' };
  const messageId = `NT${count}`;
  return give(
    'camt.054',
    writeReport({ kind: 'camt.054.001.08', messageId, at: AT, account, entries: [entry] }),
  );
}

const returned = (amount: string, id: string) =>
  give(
    'pacs.004',
    writePaymentReturns({
      messageId: `RT-${id}`,
      createdAt: AT,
      returns: [{ ...money(amount), id, endToEndId: names[0], original: money('100.00'), reason: 'AC04' }],
    }),
  );

/** The order's state as `status sent returned`. */
async function word(key = ONE): Promise<string> {
  const found = await on.payouts.ask(key);
  if (found === 'unknown_to_party') return found;
  const { status, sent, returns, failureCode } = found;
  const back = returns.map(({ amount }) => amount.toFixed()).join('+');
  return [status, sent.toFixed(), back, failureCode].filter(Boolean).join(' ');
}

const kinds = async () => (await on.breaks()).map((line) => line.split(':')[0]);

describe('a status report', () => {
  it.each(['RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACSP', 'ACWC'])(
    '%s of the file leaves orders open',
    async (status) => {
      expect(await tell({ status })).toBe('booked');
      expect([await word(ONE), await word(TWO)]).toEqual(['processing 0', 'processing 0']);
    },
  );

  it('RJCT of the file fails all its orders, with the code of the reason', async () => {
    await tell({ status: 'RJCT', reason: 'AM04' });
    expect([await word(ONE), await word(TWO)]).toEqual([
      'failed 0 insufficient_funds',
      'failed 0 insufficient_funds',
    ]);
  });

  it('PART fails the named transfer, and the group’s status counts for the others', async () => {
    await tell({ status: 'PART' }, [
      { id: group, status: 'ACSC', transfers: [{ endToEndId: names[0], status: 'RJCT', reason: 'AC04' }] },
    ]);
    expect([await word(ONE), await word(TWO)]).toEqual(['failed 0 account_closed', 'sent 50']);
  });

  it('ACSC is sent, and ACCC is completed', async () => {
    await tell({}, ofOne('ACSC'));
    expect(await word()).toBe('sent 100');
    await tell({}, ofOne('ACCC'));
    expect(await word()).toBe('completed 100');
  });

  it('that comes late lowers nothing', async () => {
    await tell({}, ofOne('ACSC'));
    await tell({}, ofOne('ACTC'));
    expect(await word()).toBe('sent 100');
    await tell({ status: 'RJCT' }, ofOne('ACSP'));
    expect([await word(ONE), await word(TWO)]).toEqual(['sent 100', 'failed 0 refused_by_bank']);
    await tell({ status: 'ACCP' });
    expect(await word(TWO)).toBe('failed 0 refused_by_bank');
    expect(await kinds()).toEqual([]);
  });

  it('RJCT after ACSC takes the money back, unless its debit is booked', async () => {
    await tell({}, ofOne('ACSC'));
    await tell({}, ofOne('RJCT', 'MS03'));
    expect(await word()).toBe('failed 0 refused_by_bank');
    await booked();
    expect(await word()).toBe('completed 100');
    // The account has its money back, so a person is told.
    expect(await kinds()).toEqual(['bank_report_contradicts']);
    await tell({}, ofOne('RJCT', 'MS03'));
    expect(await word()).toBe('completed 100');
    expect(await kinds()).toEqual(['bank_report_contradicts', 'bank_report_contradicts']);
  });

  it.each([
    ['another count', { count: 3 }, 'refused', 'bank_file_refused'],
    ['another sum', { sum: new Decimal('150.01') }, 'refused', 'bank_file_refused'],
    ['another file', { original: 'NONE' }, 'booked', 'bank_reference_unknown'],
  ])('about %s changes nothing', async (_, given, outcome, kind) => {
    expect(await tell({ status: 'RJCT', ...given })).toBe(outcome);
    expect(await word()).toBe('processing 0');
    expect(await kinds()).toEqual([kind]);
  });

  it.each([
    ['an unknown transfer', 'NOBODY', 'RJCT', undefined, 'bank_reference_unknown'],
    ['an unknown code', 'PAYOUTPAYONE', 'ZZZZ', undefined, 'bank_code_unknown'],
    ['another amount', 'PAYOUTPAYONE', 'RJCT', money('100.01'), 'bank_report_contradicts'],
    ['another currency', 'PAYOUTPAYONE', 'RJCT', money('100.00', 'USD'), 'bank_report_contradicts'],
  ])('with %s is shown, and the rest applies', async (_, endToEndId, status, amount, kind) => {
    await tell({}, [
      {
        id: group,
        transfers: [
          { endToEndId, status, money: amount },
          { endToEndId: names[1], status: 'ACSC' },
        ],
      },
    ]);
    expect([await word(ONE), await word(TWO)]).toEqual(['processing 0', 'sent 50']);
    expect(await kinds()).toEqual([kind]);
  });

  it('with an unknown reason fails with a general code', async () => {
    await tell({}, ofOne('RJCT', 'ZZ99'));
    expect(await word()).toBe('failed 0 refused_by_bank');
  });

  it('is listed once for each order that changes', async () => {
    await tell({ status: 'ACCP' });
    await tell({}, ofOne('ACSC'));
    await tell({}, ofOne('ACSC'));
    const { changes, next, more } = await on.payouts.changes(null);
    expect(changes.map(({ ref, version }) => `${ref} ${version}`).sort()).toEqual([
      `${ONE} 2`,
      `${ONE} 3`,
      `${TWO} 2`,
    ]);
    expect([next === null, more]).toEqual([false, false]);
    expect(await on.payouts.changes(next)).toEqual({ changes: [], unreadable: [], next, more: false });
    expect((await on.bank.changes(null)).changes).toEqual([]);
  });
});

describe('a booked debit', () => {
  it('completes its order, without any report before', async () => {
    await booked();
    expect(await word()).toBe('completed 100');
    await tell({ status: 'ACCP' });
    expect(await word()).toBe('completed 100');
  });

  it('is booked once, whichever messages tell of it', async () => {
    await booked({ reference: 'SAME' });
    await booked({ reference: 'SAME' });
    expect(await word()).toBe('completed 100');
    expect(await kinds()).toEqual([]);
  });

  it('with another amount under the same reference is shown', async () => {
    await booked({ reference: 'SAME' });
    await booked({ reference: 'SAME', amount: '90.00' });
    expect(await word()).toBe('completed 100');
    expect(await kinds()).toEqual(['bank_entry_changed']);
  });

  it('of another amount is booked as it is, and shown', async () => {
    await booked({ amount: '99.00' });
    expect(await word()).toBe('completed 99');
    expect(await kinds()).toEqual(['bank_report_contradicts']);
  });

  it('that comes twice is a second payment, booked and shown', async () => {
    await booked();
    await booked();
    expect(await word()).toBe('completed 200');
    expect(await kinds()).toEqual(['bank_report_contradicts']);
  });

  it('that concerns nothing of ours is shown with its amount', async () => {
    await booked({ endToEndId: undefined, amount: '3.50' });
    const rows = await on.test.database.query('select kind, amount::text, currency from breaks');
    expect(rows).toEqual([{ kind: 'bank_entry_unmatched', amount: '3.5', currency: 'EUR' }]);
  });
});

describe('money that comes back', () => {
  it('is booked by its entry', async () => {
    await booked();
    await booked({ side: 'credit', amount: '40.00', returned: 'AC04' });
    expect(await word()).toBe('returned 100 40 account_closed');
  });

  it('that both messages tell of is one return, in either order, and in parts', async () => {
    await booked();
    await returned('40.00', 'RI1');
    await booked({ side: 'credit', amount: '40.00', returned: 'AC04' });
    expect(await word()).toBe('returned 100 40 account_closed');
    await booked({ side: 'credit', amount: '40.00', returned: 'AC04' });
    await returned('40.00', 'RI2');
    await returned('40.00', 'RI2');
    expect(await word()).toBe('returned 100 40+40 account_closed');
  });

  it('before its debit is told with the debit', async () => {
    await returned('100.00', 'RI1');
    expect(await word()).toMatch(/^processing 0/);
    await tell({}, ofOne('ACSC'));
    expect(await word()).toBe('returned 100 100 account_closed');
    await booked();
    expect(await word()).toBe('returned 100 100 account_closed');
  });

  it('above the order is booked and shown', async () => {
    await booked();
    await booked({ side: 'credit', amount: '60.00', returned: 'AC04' });
    await booked({ side: 'credit', amount: '60.00', returned: 'AC04' });
    expect(await word()).toMatch(/^returned 100 60\+60/);
    expect(await kinds()).toEqual(['bank_report_contradicts']);
  });

  it('that both messages tell of with different amounts is never more than the order', async () => {
    await booked();
    await returned('100.00', 'RI1');
    await booked({ side: 'credit', amount: '95.00', returned: 'AC04' });
    expect(await word()).toBe('returned 100 100 account_closed');
    expect(await kinds()).toEqual(['bank_report_contradicts']);
  });

  it('of an unknown or another order is shown, and books nothing', async () => {
    names[0] = 'NOBODY';
    await returned('40.00', 'RI1');
    names[0] = 'PAYOUTPAYTWO';
    await returned('40.00', 'RI2');
    expect(await word(TWO)).toBe('processing 0');
    expect(await kinds()).toEqual(['bank_reference_unknown', 'bank_report_contradicts']);
  });

  it('keeps an order with the name of a payer’s own reference apart', async () => {
    // A payer may use any reference, so only an entry that is marked as a return is one.
    await booked();
    await booked({ side: 'credit', amount: '40.00', payeeIban: 'LT371999900000000001' });
    expect(await word()).toBe('completed 100');
    expect((await on.bank.changes(null)).changes).toHaveLength(1);
  });
});

it('a report waits for its orders before it locks their file, as an entry does, so that neither deadlocks', async () => {
  const isWaiting = async () =>
    (
      await on.test.database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  let told: Promise<string> | undefined;
  await on.test.runtime.transaction(async (tx) => {
    await lockByName(tx, 'PAYOUTPAYONE');
    told = tell({ status: 'ACSC' });
    await until(isWaiting);
    await tx.query(`select from bank_files where direction = 'out' for no key update nowait`);
  });
  expect(await told).toBe('booked');
});
