/** @long */
import { cellOf } from '../../../src/accounts/statements/csv';
import { accountEntry, internalEntry } from '../../../src/kernel/ledger/entries';
import { Decimal } from '../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { enabled, lookedAtCredit } from '../../transfers/iban/support';
import {
  closeDownloads,
  downloaded,
  lately,
  pagesOf,
  pathOf,
  post,
  recordsOf,
  reference,
  rowsOf,
  soon,
  statementOf,
} from './support';

let api: TestApi;
let client: Client;
let account: string;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  account = await masterAccount(client);
});
afterAll(async () => {
  await closeDownloads();
  await api.close();
});

const period = () => ({ from: lately(), to: soon() });

async function deposits(count: number, cents = 1): Promise<void> {
  const entries = () => {
    const ref = reference();
    const amount = new Decimal(cents).div(100);
    return [
      accountEntry(account, 'deposit/admin_deposit', amount, ref),
      internalEntry('funding', 'USD', amount.negated(), ref),
    ];
  };
  await post(api, [account], Array.from({ length: count }, entries));
}

describe('the format', () => {
  it.each([
    ['no header', undefined, {}, 'application/json'],
    ['any type', '*/*', {}, 'application/json'],
    ['CSV', 'text/csv', {}, 'text/csv; charset=utf-8; header=present'],
    ['PDF', 'application/pdf', {}, 'application/pdf'],
    [
      'the best of several',
      'application/json;q=0.5, text/csv;q=0.9',
      {},
      'text/csv; charset=utf-8; header=present',
    ],
    ['a type that there is not', 'image/png', {}, 'application/json'],
    ['the parameter before the header', 'text/csv', { format: 'json' }, 'application/json'],
    ['the parameter alone', undefined, { format: 'pdf' }, 'application/pdf'],
  ])('%s', async (_name, accept, format, type) => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const answer = await client.call('GET', pathOf(account, { ...period(), ...format }), undefined, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    const disposition = answer.headers.get('content-disposition');
    if (type === 'application/json') expect(disposition).toBeNull();
    else
      expect(disposition).toMatch(
        /^attachment; filename="statement-acc_\w+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.(csv|pdf)"$/,
      );
  });

  it('is documented for each type', async () => {
    const { body } = await api.call('GET', '/openapi.json');
    const { content } = body.paths['/v1/accounts/{id}/statement'].get.responses['200'];
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Statement' });
    expect(content['text/csv'].schema).toEqual({ type: 'string' });
    expect(content['application/pdf'].schema).toEqual({ type: 'string', format: 'binary' });
  });
});

describe('CSV', () => {
  it('is sent as it is, because a compressed stream would hide the error of its end', async () => {
    await fund(api, account, '12.34');
    const { headers } = await client.call('GET', pathOf(account, { ...period(), format: 'csv' }), undefined, {
      'accept-encoding': 'gzip',
    });
    expect([headers.get('content-encoding'), headers.get('content-type')]).toEqual([
      null,
      'text/csv; charset=utf-8; header=present',
    ]);
  });

  it('has the opening balance, the lines, the totals and the closing balance', async () => {
    await fund(api, account, '12.34');
    await deposits(1, 66);
    const asked = period();
    const { text } = await client.call('GET', pathOf(account, { ...asked, format: 'csv' }));
    expect(new Set(rowsOf(text).map(({ length }) => length)).size).toBe(1);
    const records = recordsOf(text);
    expect(records.map(({ row, change, balance, currency }) => [row, change, balance, currency])).toEqual([
      ['opening', '', '0.00', 'USD'],
      ['line', '12.34', '12.34', 'USD'],
      ['line', '0.66', '13.00', 'USD'],
      ['total', '13.00', '', 'USD'],
      ['closing', '', '13.00', 'USD'],
    ]);
    expect([records[0]?.['timestamp'], records.at(-1)?.['timestamp']]).toEqual([asked.from, asked.to]);
    const { lines } = await statementOf(client, account);
    expect(records.filter(({ row }) => row === 'line')).toMatchObject(lines);
    expect(records[3]).toMatchObject({ type: 'deposit', subtype: 'admin_deposit', count: '2' });
  });

  it('evaluates no text in a spreadsheet, and keeps negative amounts numbers', async () => {
    const { id, iban } = await enabled(api, client);
    const names = [
      '=HYPERLINK("http://x","y")',
      '+1+1',
      '-2+3',
      '@SUM(A1)',
      ' =1+1',
      'Ada, "Countess"',
      '-5.00',
    ];
    for (const name of names) {
      const given = { iban, amount: '1.00', mute: true, remitter: { name } };
      const made = await client.call('POST', '/sandbox/iban-credits', given);
      expect(made.status).toBe(202);
      await lookedAtCredit(api, made.body.id);
    }
    const { text } = await client.call('GET', pathOf(id, { ...period(), format: 'csv' }));
    const lines = recordsOf(text).filter(({ row }) => row === 'line');
    expect(lines.map(({ remitterName }) => remitterName)).toEqual([
      `'=HYPERLINK("http://x","y")`,
      `'+1+1`,
      `'-2+3`,
      `'@SUM(A1)`,
      `'=1+1`, // the route trims a name
      'Ada, "Countess"',
      '-5.00',
    ]);
    expect(text).toContain(`"'=HYPERLINK(""http://x"",""y"")"`);
  });

  it.each([
    ['=1', `'=1`],
    ['\t=1', `'\t=1`],
    [' @x', `' @x`],
    ['\uff1d1', `'\uff1d1`],
    ['\r', `"'\r"`],
    ['a\nb', '"a\nb"'],
    ['-1.50', '-1.50'],
    ['-1.50x', `'-1.50x`],
    ['plain', 'plain'],
  ])('writes %j as %j', (text, cell) => expect(cellOf(text)).toBe(cell));

  it('comes in pieces, of more lines than a PDF may have, and so does JSON', async () => {
    await deposits(10_001);
    const csv = await client.call('GET', pathOf(account, { ...period(), format: 'csv' }));
    expect(csv.headers.get('transfer-encoding')).toBe('chunked');
    expect(recordsOf(csv.text).filter(({ row }) => row === 'line')).toHaveLength(10_001);
    expect(recordsOf(csv.text).at(-1)).toMatchObject({ row: 'closing', balance: '100.01' });
    const { lines, closingBalance } = await statementOf(client, account);
    expect([lines.length, closingBalance]).toEqual([10_001, '100.01']);
    const pdf = await client.call('GET', pathOf(account, { ...period(), format: 'pdf' }));
    expect([pdf.status, pdf.body.field, pdf.headers.get('content-type')]).toEqual([
      400,
      'format',
      'application/json; charset=utf-8',
    ]);
    expect(pdf.body.message).toContain('csv');
  }, 60_000);
});

describe('PDF', () => {
  it('reads as the statement, in letters of any alphabet of the font', async () => {
    const { id, iban } = await enabled(api, client);
    const name = 'Łucja Жукова Ωμέγα';
    const given = {
      iban,
      amount: '25.00',
      mute: true,
      remitter: { name, iban: 'PL61109010140000071219812874' },
    };
    const made = await client.call('POST', '/sandbox/iban-credits', given);
    await lookedAtCredit(api, made.body.id);
    const asked = period();
    const bytes = await downloaded(api, client, pathOf(id, { ...asked, format: 'pdf' }));
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(bytes.toString('latin1')).toMatch(/FontFile2/);
    const [text = '', ...more] = pagesOf(bytes);
    expect(more).toEqual([]);
    const [line] = (await statementOf(client, id)).lines;
    for (const shown of [
      ...['Statement of account', id, 'EUR', asked.from, `${asked.to}, not ended yet`, '0.00', '25.00'],
      ...['deposit/iban_credit', line?.referenceId ?? '?', `${name}, PL61109010140000071219812874`],
      ...[(line?.timestamp ?? '').slice(0, 23).replace('T', ' '), 'page 1'],
    ])
      expect(text).toContain(shown);
  });

  it('has every line of many pages', async () => {
    await deposits(200);
    await deposits(1, 12_345_678_901_234_567);
    const pages = pagesOf(await downloaded(api, client, pathOf(account, { ...period(), format: 'pdf' })));
    expect(pages.length).toBeGreaterThan(3);
    const { lines } = await statementOf(client, account);
    const text = pages.join('\n');
    for (const { referenceId, change, balance } of lines) {
      expect(text).toContain(change);
      expect(text).toContain(referenceId);
      expect(text).toContain(balance);
    }
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`page ${index + 1}`);
      expect(page).toContain('Balance');
    }
  });
});
