import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MESSAGE_KINDS, MESSAGES, namespaceOf } from '../../../src/parties/iso20022/messages/kinds';
import { plainText } from '../../../src/parties/iso20022/messages/words';
import { endToEndIdOf } from '../../../src/parties/iso20022/names';
import { createXmlReader } from '../../../src/parties/iso20022/xml/reader';
import { SAMPLES, TRANSFERS } from './samples';

/** The content of each golden file, with decimals and times as texts. */
const READ = JSON.parse(readFileSync(join(__dirname, 'golden', 'read.json'), 'utf8')) as Record<
  string,
  unknown
>;

const reader = createXmlReader();
afterAll(() => reader.close());

const golden = (kind: string) => readFileSync(join(__dirname, 'golden', `${kind}.xml`), 'utf8');

describe.each(MESSAGE_KINDS)('%s', (kind) => {
  it('is written byte for byte as its golden file', () => {
    expect(SAMPLES[kind].xml()).toBe(golden(kind));
  });

  it('follows its published schema, and is read again', async () => {
    const result = await reader.read(Buffer.from(golden(kind)));
    expect(result).toMatchObject({
      kind,
      tree: { name: 'Document', children: [{ name: MESSAGES[kind].root }] },
    });
    if ('fault' in result) throw new Error(result.fault);
    expect(JSON.parse(JSON.stringify(SAMPLES[kind].read(result.tree)))).toEqual(READ[kind]);
  });

  it('has a schema of its namespace', () => {
    const schema = readFileSync(
      join(__dirname, '../../../src/parties/iso20022/schemas', `${kind}.xsd`),
      'utf8',
    );
    expect(schema).toContain(`targetNamespace="${namespaceOf(kind)}"`);
    expect(schema).toMatch(/<xs:element name="Document" type="Document"\/>/);
    expect(schema).not.toMatch(/<xs:(import|include)/);
  });
});

describe('a file of orders', () => {
  it('counts and sums its transfers, in the file and in each group', () => {
    const xml = golden('pain.001.001.09');
    expect(xml.match(/<NbOfTxs>\d+<\/NbOfTxs><CtrlSum>[\d.]+<\/CtrlSum>/g)).toEqual([
      '<NbOfTxs>3</NbOfTxs><CtrlSum>2600.15</CtrlSum>',
      '<NbOfTxs>2</NbOfTxs><CtrlSum>100.05</CtrlSum>',
      '<NbOfTxs>1</NbOfTxs><CtrlSum>2500.1</CtrlSum>',
    ]);
  });

  it('has the form of SEPA with shared charges, and of SWIFT with the wanted charges', () => {
    const [sepa = '', swift = ''] = golden('pain.001.001.09').split('</PmtInf>');
    expect(sepa).toContain('<SvcLvl><Cd>SEPA</Cd></SvcLvl>');
    expect(sepa).toContain('<ChrgBr>SLEV</ChrgBr>');
    expect(swift).not.toContain('SvcLvl');
    expect(swift).toContain('<ChrgBr>DEBT</ChrgBr>');
    expect(swift).toContain('<InstdAmt Ccy="USD">2500.10</InstdAmt>');
    expect(TRANSFERS.groups).toHaveLength(2);
  });

  it('escapes what a payee is called', () => {
    expect(golden('pain.001.001.09')).toContain('<Nm>Grace &amp; Sons</Nm>');
  });
});

describe('names and texts', () => {
  it('names an order by its key, in characters that every bank takes', () => {
    const key = 'payout-pay_01h2xcejqtf2nbrexx3vqjhp41';
    expect(endToEndIdOf(key)).toBe('PAYOUTPAY01H2XCEJQTF2NBREXX3VQJHP41');
    expect(endToEndIdOf(`iban-${key}`)).toMatch(/^H[0-9A-F]{34}$/);
    expect(endToEndIdOf(`iban-${key}`)).toBe(endToEndIdOf(`iban-${key}`));
  });

  it('spells names in the characters of SEPA', () => {
    expect(plainText('Zoë  Müller; <script>', 70)).toBe('Zoe Muller script');
    expect(plainText('Łukasz “L.” Żółć', 70)).toBe('Lukasz L. Zolc');
  });
});
