import { readdir, readFile, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeStatusReport } from '../../../src/parties/iso20022/messages/status-report';
import type { Step } from '../../../src/parties/iso20022/outgoing';
import type { PayoutOrder } from '../../../src/parties/payouts/port';
import { PartyRefused } from '../../../src/process/party-errors';
import { type Files, files, messageIdIn, newKey, ORDER } from './fixture';
import { AT, money } from './samples';

let on: Files;
beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
});
afterAll(() => on.close());

/** All placed orders by their names, over all files. */
const taken: string[] = [];
/** The bank's tool takes each placed file, as it would in a real installation. */
async function take(): Promise<void> {
  for (const name of await on.list('outgoing')) {
    const text = await readFile(join(on.folder, 'outgoing', name), 'utf8');
    taken.push(...[...text.matchAll(/<EndToEndId>([^<]+)</g)].map(([, id = '']) => id));
    await rm(join(on.folder, 'outgoing', name));
  }
}
beforeEach(() => taken.splice(0));

describe('an order', () => {
  it('is stored at once, and leaves with the next file', async () => {
    expect(await on.payouts.order(ORDER)).toEqual({
      version: 1,
      status: 'processing',
      failureCode: undefined,
      sent: expect.anything(),
      returns: [],
    });
    expect(await on.list('outgoing')).toEqual([]);
    await on.exchange.turn();
    const { name, text } = await on.placed('pain.001.001.09');
    expect(name).toBe(`${messageIdIn(text)}.pain.001.001.09.xml`);
    expect(text).toContain('<InstdAmt Ccy="EUR">100.00</InstdAmt>');
    expect(text).toContain('<IBAN>DE75512108001245126199</IBAN>');
    await on.exchange.turn();
    expect(await on.list('outgoing')).toEqual([name]);
  });

  it('is kept sealed until it stands in a file, and the file until it is placed', async () => {
    await on.payouts.order(ORDER);
    const kept = async () =>
      on.test.database.query<{ payee: Buffer | null }>('select payee from bank_orders');
    expect((await kept())[0]?.payee?.includes('Lovelace')).toBe(false);
    await on.exchange.turn();
    expect(await kept()).toEqual([{ payee: null }]);
    expect(await on.test.database.query('select content from bank_files')).toEqual([{ content: null }]);
  });

  it('is given once under its key, and another one under it is refused', async () => {
    await Promise.all([on.payouts.order(ORDER), on.another().payouts.order(ORDER)]);
    await on.exchange.turn();
    await on.payouts.order(ORDER);
    await on.exchange.turn();
    await take();
    expect(taken).toEqual(['PAYOUTPAY01']);
    await expect(on.payouts.order({ ...ORDER, ...money('100.01') })).rejects.toThrow('idempotency_mismatch');
  });

  it('has no callbacks, because files are the bank’s word', () => {
    expect(on.payouts.verify(Buffer.from('{}'), {})).toBeUndefined();
    expect(on.bank.verify(Buffer.from('{}'), {})).toBeUndefined();
  });

  it('of an unknown key is unknown to the bank', async () => {
    expect(await on.payouts.ask('payout-pay_none')).toBe('unknown_to_party');
  });

  const REFUSED: readonly [string, Partial<PayoutOrder>][] = [
    ['method_not_supported', { method: 'card' }],
    ['method_not_supported', { method: 'crypto' }],
    ['currency_not_supported', { currency: 'GBP', method: 'swift' }],
    ['currency_not_supported', { currency: 'USD' }],
    ['malformed_order', money('0.001')],
    ['malformed_order', money('0')],
    ['malformed_order', money('-1')],
    ['name_missing', { destination: { iban: 'DE89370400440532013000' } }],
    ['name_missing', { destination: { name: '☺', iban: 'DE89370400440532013000' } }],
    ['account_invalid', { destination: { name: 'Ada', iban: 'DE00370400440532013000' } }],
    ['account_invalid', { destination: { name: 'Ada' } }],
    [
      'account_invalid',
      { method: 'swift', destination: { name: 'Ada', accountNumber: '1\n2', bic: 'CHASUS33' } },
    ],
    ['bank_invalid', { destination: { name: 'Ada', iban: 'DE89370400440532013000', bic: 'X' } }],
    ['bank_missing', { method: 'swift', destination: { name: 'Ada', accountNumber: '123' } }],
  ];

  it.each(REFUSED)('that no message can express is refused: %s %#', async (code, given) => {
    const refused = on.payouts.order({ ...ORDER, ...given });
    await expect(refused).rejects.toBeInstanceOf(PartyRefused);
    await expect(refused).rejects.toMatchObject({ code });
    expect(await on.payouts.ask(ORDER.key)).toBe('unknown_to_party');
  });

  it('waits for others of its file', async () => {
    const { payouts, exchange } = on.another({ settings: { batchSeconds: 3_600 } });
    await payouts.order(ORDER);
    await exchange.turn();
    expect(await on.list('outgoing')).toEqual([]);
    await on.test.database.query(`update bank_orders set created_at = created_at - interval '1 hour'`);
    await payouts.order({ ...ORDER, key: newKey() });
    await payouts.order({
      ...ORDER,
      key: newKey(),
      method: 'swift',
      ...money('9.99', 'USD'),
      destination: { name: 'Alan Turing', accountNumber: '123', bic: 'CHASUS33XXX', country: 'US' },
    });
    await exchange.turn();
    const { text } = await on.placed('pain.001.001.09');
    expect(text.match(/<NbOfTxs>\d+</g)).toEqual(['<NbOfTxs>3<', '<NbOfTxs>2<', '<NbOfTxs>1<']);
    expect(text.match(/<PmtInf>/g)).toHaveLength(2);
  });
});

it('an order of a currency without an account stops no other', async () => {
  const destination = { name: 'Alan Turing', accountNumber: '123', bic: 'CHASUS33XXX', country: 'US' };
  await on.payouts.order({ ...ORDER, key: newKey(), method: 'swift', ...money('9.99', 'USD'), destination });
  await on.payouts.order(ORDER);
  const accounts = on.services.settings.accounts.filter(({ currency }) => currency === 'EUR');
  await on.another({ settings: { accounts } }).exchange.turn();
  await take();
  expect(taken).toEqual(['PAYOUTPAY01']);
  await on.exchange.turn();
  await take();
  expect(taken).toHaveLength(2);
});

describe('a kill', () => {
  const STEPS: readonly Step[] = ['filed', 'written', 'staged', 'renamed', 'placed'];

  it.each(STEPS)('after “%s” pays nobody twice, and everybody once', async (step) => {
    const killed = on.another({
      onStep: (reached) => {
        if (reached === step) throw new Error('killed');
      },
    });
    await killed.payouts.order(ORDER);
    await expect(killed.exchange.turn()).rejects.toThrow('killed');
    // The bank takes what it finds, at once.
    await take();
    for (let turns = 0; turns < 3; turns += 1) {
      await on.exchange.turn();
      await take();
    }
    expect(taken).toEqual(['PAYOUTPAY01']);
    expect(await on.test.database.query('select result from bank_files')).toEqual([{ result: 'placed' }]);
  });

  it('leaves no payee in a temporary file for ever', async () => {
    const killed = on.another({
      onStep: (reached) => {
        if (reached === 'written') throw new Error('killed');
      },
    });
    await killed.payouts.order(ORDER);
    await expect(killed.exchange.turn()).rejects.toThrow('killed');
    const [left = ''] = await readdir(join(on.folder, 'outgoing'));
    expect(left).toMatch(/^\..+\.part$/);
    await utimes(join(on.folder, 'outgoing', left), new Date(0), new Date(0));
    await on.another().exchange.turn();
    expect(await readdir(join(on.folder, 'outgoing'))).toEqual(await on.list('outgoing'));
    await take();
    expect(taken).toEqual(['PAYOUTPAY01']);
  });

  it('and a folder that is not mounted lose no file', async () => {
    const killed = on.another({
      onStep: (reached) => {
        if (reached === 'staged') throw new Error('killed');
      },
    });
    await killed.payouts.order(ORDER);
    await expect(killed.exchange.turn()).rejects.toThrow('killed');
    await rename(on.folder, `${on.folder}-mounted`);
    await expect(on.another().exchange.turn()).rejects.toMatchObject({ name: 'PartyAway' });
    await rm(on.folder, { recursive: true });
    await rename(`${on.folder}-mounted`, on.folder);
    await on.another().exchange.turn();
    await take();
    expect(taken).toEqual(['PAYOUTPAY01']);
  });

  it('of a process that goes on later places nothing again', async () => {
    // The slow process has written its temporary file when another process places the message.
    let rest: Promise<unknown> = Promise.resolve();
    const slow = on.another({
      onStep: (reached) => {
        if (reached === 'written') rest = on.exchange.turn();
      },
    });
    await slow.payouts.order(ORDER);
    await Promise.allSettled([slow.exchange.turn()]);
    await rest;
    await on.exchange.turn();
    await take();
    await on.exchange.turn();
    await take();
    expect(taken).toEqual(['PAYOUTPAY01']);
  });
});

it('an order that comes again after a loss of commits is not sent again', async () => {
  await on.payouts.order(ORDER);
  await on.exchange.turn();
  await take();
  await on.test.database.query('delete from bank_orders');
  await on.test.database.query('delete from bank_files');
  await on.payouts.order(ORDER);
  await on.exchange.turn();
  await take();
  expect(taken).toEqual(['PAYOUTPAY01']);
  expect(await on.breaks()).toEqual(['bank_order_sent_before: PAYOUTPAY01']);
  expect(await on.payouts.ask(ORDER.key)).toMatchObject({ status: 'processing' });
  // The bank answers the file that the database has lost.
  const xml = writeStatusReport({
    messageId: 'ST1',
    createdAt: AT,
    original: 'LOST',
    groups: [{ id: 'LOST-1', transfers: [{ endToEndId: 'PAYOUTPAY01', status: 'ACSC' }] }],
  });
  await on.drop('status.xml', xml);
  await on.exchange.turn();
  expect(await on.payouts.ask(ORDER.key)).toMatchObject({ status: 'sent' });
});

describe('several processes', () => {
  it('file and place each order once', async () => {
    const others = [on.another(), on.another(), on.another()];
    const keys = Array.from({ length: 30 }, newKey);
    await Promise.all(
      keys.map(async (key, index) => {
        await others[index % 3]?.payouts.order({ ...ORDER, key });
        await others[(index + 1) % 3]?.exchange.turn();
      }),
    );
    await on.exchange.turn();
    await take();
    expect(new Set(taken).size).toBe(30);
    expect(taken).toHaveLength(30);
  });
});
