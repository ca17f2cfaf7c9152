/** @long */
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_FILE_BYTES } from '../../../src/parties/iso20022/xml/reader';
import { type Files, files } from './fixture';

const golden = (kind: string) => readFileSync(join(__dirname, 'golden', `${kind}.xml`), 'utf8');
const STATEMENT = golden('camt.053.001.08');
const NOTIFICATION = golden('camt.054.001.08');
const RETURN = golden('pacs.004.001.09');
const RECALL = golden('camt.056.001.08');

let on: Files;
beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
});
afterAll(() => on.close());

/** Everything that a file may have booked. */
async function booked(): Promise<number> {
  const [row] = await on.test.database.query<{ count: number }>(
    `select (select count(*) from bank_entries) + (select count(*) from bank_credits) + (select count(*) from bank_statements)
          + (select count(*) from bank_order_returns) + (select count(*) from bank_changes)
          + (select count(*) from bank_files where result = 'booked') as count`,
  );
  return Number(row?.count);
}

const CASES: readonly [string, string, () => string | Buffer][] = [
  ['an entry in another currency', 'currency', () => NOTIFICATION.replace(/(<Amt Ccy=")EUR/, '$1USD')],
  ['a currency that does not exist', 'currency', () => NOTIFICATION.replaceAll('Ccy="EUR"', 'Ccy="QQQ"')],
  [
    'too many decimals',
    'amount',
    () => NOTIFICATION.replaceAll('250.00', '250.001').replace('<Sum>390<', '<Sum>390.001<'),
  ],
  ['a negative amount', 'schema', () => NOTIFICATION.replaceAll('250.00', '-250.00')],
  ['an amount that is no number', 'schema', () => NOTIFICATION.replaceAll('250.00', '1e3')],
  ['a return of nothing', 'amount', () => RETURN.replaceAll('40.00', '0.00').replace('>40<', '>0<')],
  [
    'another bank’s IBAN',
    'account_unknown',
    () => NOTIFICATION.replace('DE75512108001245126199', 'DE89370400440532013000'),
  ],
  ['an IBAN of another form', 'schema', () => NOTIFICATION.replace('DE75512108001245126199', '12')],
  ['a wrong CtrlSum', 'control_sum', () => RETURN.replace('<CtrlSum>40<', '<CtrlSum>41<')],
  ['a wrong NbOfTxs', 'transaction_count', () => RETURN.replace('<NbOfTxs>1<', '<NbOfTxs>2<')],
  ['a wrong NbOfTxs of recalls', 'transaction_count', () => RECALL.replace('<NbOfTxs>1<', '<NbOfTxs>3<')],
  ['a wrong NbOfNtries', 'transaction_count', () => NOTIFICATION.replace('<NbOfNtries>3<', '<NbOfNtries>2<')],
  ['a wrong Sum', 'control_sum', () => NOTIFICATION.replace('<Sum>390<', '<Sum>391<')],
  ['a closing balance without an entry', 'balance', () => STATEMENT.replace('1190.00', '1191.00')],
  ['no closing balance', 'balance', () => STATEMENT.replace('CLBD', 'CLAV')],
  [
    'a part of a statement',
    'pages',
    () =>
      STATEMENT.replace(
        '<ElctrncSeqNb>',
        '<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn><ElctrncSeqNb>',
      ),
  ],
  ['another version', 'unknown_message', () => NOTIFICATION.replaceAll('camt.054.001.08', 'camt.054.001.02')],
  ['another namespace', 'unknown_message', () => '<Document xmlns="urn:example"/>'],
  ['another root', 'unknown_message', () => NOTIFICATION.replaceAll('Document', 'Envelope')],
  [
    'an element that the schema does not have',
    'schema',
    () => NOTIFICATION.replace('<Acct>', '<Other>1</Other><Acct>'),
  ],
  ['a message that only we send', 'wrong_direction', () => golden('pain.001.001.09')],
  [
    'a DOCTYPE with an external entity',
    'doctype',
    () =>
      NOTIFICATION.replace('?>', '?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>').replace(
        'NT1',
        '&x;',
      ),
  ],
  [
    'entities that grow',
    'doctype',
    () => NOTIFICATION.replace('?>', '?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'),
  ],
  ['Latin-1', 'not_utf8', () => Buffer.from(NOTIFICATION.replace('Grace Hopper', 'Zoë'), 'latin1')],
  ['a declared other encoding', 'not_utf8', () => NOTIFICATION.replace('UTF-8', 'ISO-8859-1')],
  ['UTF-16', 'not_utf8', () => Buffer.from(`\ufeff${NOTIFICATION}`, 'utf16le')],
  ['no XML', 'not_xml', () => 'The bank is closed.'],
  ['a file that ends in the middle', 'not_xml', () => NOTIFICATION.slice(0, -40)],
  ['deep nesting', 'not_xml', () => '<a>'.repeat(100_000)],
  ['nothing', 'not_xml', () => ''],
  ['100 MB', 'too_large', () => Buffer.alloc(100_000_000, 0x20)],
];

describe('a file that cannot be used', () => {
  it.each(CASES)('%s: refused by name, and nothing is booked', async (_, code, make) => {
    await on.drop('bank.xml', make(), { old: true });
    expect(await on.exchange.turn()).toEqual(['refused']);
    expect(await on.breaks()).toEqual([expect.stringMatching(new RegExp(`^bank_file_refused: ${code}\\b`))]);
    expect(await booked()).toBe(0);
    expect(await on.list('incoming')).toEqual([]);
    expect(await on.list('refused')).toEqual([expect.stringMatching(/^[0-9a-f]{12}-bank\.xml$/)]);
    // The break names the file, and no value of it.
    expect((await on.breaks()).join()).not.toMatch(/Hopper|FR14|250\.00/);
  });

  it('stops no other file', async () => {
    await on.drop('1.xml', 'rubbish', { old: true });
    await on.drop('2.xml', NOTIFICATION);
    expect([...(await on.exchange.turn())].sort()).toEqual(['booked', 'refused']);
  });

  it('is shown once, however often it comes', async () => {
    for (let times = 0; times < 2; times += 1) {
      await on.drop('bank.xml', 'rubbish', { old: true });
      await on.exchange.turn();
    }
    expect(await on.breaks()).toHaveLength(1);
  });
});

describe('a file that may be used', () => {
  it('may begin with a byte order mark', async () => {
    await on.drop('bank.xml', `\ufeff${NOTIFICATION}`);
    expect(await on.exchange.turn()).toEqual(['booked']);
  });

  it('may have an entry of nothing', async () => {
    await on.drop('bank.xml', NOTIFICATION.replaceAll('250.00', '0.00').replace('<Sum>390<', '<Sum>140<'));
    expect(await on.exchange.turn()).toEqual(['booked']);
    const [row] = await on.test.database.query<{ count: string }>('select count(*) from bank_credits');
    expect(row?.count).toBe('0');
  });
});

describe('an unfinished file', () => {
  it('waits while it grows, and is booked once when it is whole', async () => {
    await on.drop('bank.xml', NOTIFICATION.slice(0, 300));
    expect(await on.exchange.turn()).toEqual(['waits']);
    await on.drop('bank.xml', NOTIFICATION);
    expect(await on.exchange.turn()).toEqual(['booked']);
    expect(await on.exchange.turn()).toEqual([]);
  });

  it('under a temporary name is passed over', async () => {
    for (const name of ['.bank.xml', 'bank.xml.part', 'bank.xml.tmp']) await on.drop(name, NOTIFICATION);
    expect(await on.exchange.turn()).toEqual([]);
  });

  it('too large and still growing waits', async () => {
    await on.drop('bank.xml', Buffer.alloc(MAX_FILE_BYTES + 1));
    expect(await on.exchange.turn()).toEqual(['waits']);
  });
});

describe('a message that comes again', () => {
  it('with the same content is noted, under any name, and books nothing', async () => {
    await on.drop('bank.xml', NOTIFICATION);
    await on.exchange.turn();
    const before = await booked();
    await on.drop('bank-again.xml', NOTIFICATION);
    expect(await on.exchange.turn()).toEqual(['repeated']);
    expect(await booked()).toBe(before);
    const [row] = await on.test.database.query(`select repeats from bank_files where result = 'booked'`);
    expect(row).toEqual({ repeats: 1 });
  });

  it('with other content is refused', async () => {
    await on.drop('bank.xml', NOTIFICATION);
    await on.exchange.turn();
    const before = await booked();
    await on.drop('other.xml', NOTIFICATION.replaceAll('250.00', '251.00').replace('<Sum>390<', '<Sum>391<'));
    expect(await on.exchange.turn()).toEqual(['refused']);
    expect(await booked()).toBe(before);
    expect((await on.breaks()).at(-1)).toMatch(/^bank_file_refused: message_id_reused: NT1/);
  });
});

describe('with signatures', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signer = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signed = (content: string) => sign(null, Buffer.from(content), privateKey).toString('base64');

  it('books a signed file, and refuses a forged one and one without', async () => {
    const { exchange } = on.another({ settings: { signer } });
    await on.drop('good.xml', NOTIFICATION);
    await on.drop('good.xml.sig', signed(NOTIFICATION));
    expect(await exchange.turn()).toEqual(['booked']);
    const forged = STATEMENT.replaceAll('250.00', '950.00');
    await on.drop('forged.xml', forged, { old: true });
    await on.drop('forged.xml.sig', signed(STATEMENT));
    expect(await exchange.turn()).toEqual(['refused']);
    await on.drop('plain.xml', STATEMENT);
    expect(await exchange.turn()).toEqual(['waits']);
    await on.drop('plain.xml', STATEMENT, { old: true });
    expect(await exchange.turn()).toEqual(['refused']);
    expect((await on.breaks()).filter((line) => line.startsWith('bank_file_refused'))).toEqual([
      expect.stringMatching(/: signature/),
      expect.stringMatching(/: unsigned/),
    ]);
    expect(await on.list('taken')).toHaveLength(2);
  });
});
