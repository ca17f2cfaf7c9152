import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import { configuredSource } from '../../../src/parties/rates/configured';
import { createEcbRates } from '../../../src/parties/rates/ecb';
import { readEcbFile } from '../../../src/parties/rates/ecb-file';
import { createRates } from '../../../src/parties/rates/memory';
import { UnreadableRates } from '../../../src/parties/rates/port';
import { rateIn } from '../../../src/parties/rates/snapshot';
import { PartyAway } from '../../../src/process/party-errors';
import { type Reply, scriptedParty } from '../protocol/scripted-party';

const FILE = readFileSync(join(__dirname, 'eurofxref-daily.xml'), 'utf8');
const HALF = new Decimal('25');

let party: Awaited<ReturnType<typeof scriptedParty>>;
beforeAll(async () => {
  party = await scriptedParty();
});
afterAll(() => party.close());
beforeEach(() => void (party.script.reply = { status: 200, body: FILE }));

const shown = (from: string, to: string, halfSpread = ZERO) => {
  const rate = rateIn(readEcbFile(FILE, halfSpread).snapshot, from, to);
  return rate && [rate.bid, rate.mid, rate.ask].map((each) => each.toFixed());
};

describe('the file of the day', () => {
  it('has one rate for each currency against the euro, at the start of its day', () => {
    const { snapshot, dropped } = readEcbFile(FILE, ZERO);
    expect([snapshot.base, snapshot.asOf.toISOString(), snapshot.rates.size]).toEqual([
      ...['EUR', '2026-02-27T00:00:00.000Z', 29],
    ]);
    expect(dropped).toEqual([]);
    expect(shown('EUR', 'USD')).toEqual(['1.0921', '1.0921', '1.0921']);
    expect(shown('EUR', 'IDR')).toEqual(['16973.85', '16973.85', '16973.85']);
    // 1 / 1.0921
    expect(shown('USD', 'EUR')).toEqual(['0.915667063455727', '0.915667063455727', '0.915667063455728']);
    // 158.32 / 1.0921
    expect(shown('USD', 'JPY')).toEqual(['144.96840948631', '144.968409486311', '144.968409486311']);
  });

  it('gets the configured half spread on either side', () => {
    const [bid, mid, ask] = shown('EUR', 'USD', HALF) ?? [];
    // 1.0921 / 1.0025 and / 0.9975
    expect([bid, mid, ask]).toEqual(['1.08937655860349', '1.0921', '1.09483709273183']);
  });

  it('drops unusable rates and skips unknown currencies', () => {
    const odd = FILE.replace("'158.32'", "'N/A'").replace("'24.573'", "'0.000'").replace("'DKK'", "'XXQ'");
    const { snapshot, dropped } = readEcbFile(odd, ZERO);
    expect(dropped).toEqual([
      { currency: 'JPY', reason: 'unreadable' },
      { currency: 'CZK', reason: 'not_positive' },
    ]);
    expect(snapshot.rates.size).toBe(26);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a page', '<html><body>Service unavailable</body></html>'],
    ['JSON', '{"base":"EUR"}'],
    ['half of it', FILE.slice(0, FILE.length / 2)],
    ['what goes on behind it', `${FILE}<Cube/>`],
    ['an entity', FILE.replace("'1.0921'", "'&rate;'")],
    ['a declaration', FILE.replace('<gesmes:Envelope', '<!DOCTYPE x [<!ENTITY rate "9">]><gesmes:Envelope')],
    ['a comment among the rates', FILE.replace('<Cube currency', '<!-- x --><Cube currency')],
    ['no day', FILE.replace("time='2026-02-27'", '')],
    ['a day of no calendar', FILE.replace('2026-02-27', '2026-02-30')],
    ['a day and its time', FILE.replace('2026-02-27', '2026-02-27T16:00')],
    ['two days', FILE.replace('\t\t</Cube>', "\t\t</Cube><Cube time='2026-02-26'></Cube>")],
    ['no rates', FILE.replace(/\s*<Cube currency[^>]*>/g, '')],
    ['a currency twice', FILE.replace("'JPY'", "'USD'")],
    ['a row without a rate', FILE.replace(" rate='158.32'", '')],
    ['a row with more to it', FILE.replace("rate='158.32'", "rate='158.32' unit='100'")],
    ['a text among the rates', FILE.replace("<Cube currency='JPY'", "x<Cube currency='JPY'")],
    ['quotes that do not match', FILE.replace("'158.32'", '\'158.32"')],
    ['a lower-case currency', FILE.replace("'JPY'", "'jpy'")],
  ])('is unreadable as %s', (_, text) => {
    expect(() => readEcbFile(text, ZERO)).toThrow(UnreadableRates);
  });
});

describe('the source', () => {
  const clock = { at: Date.parse('2026-02-27T18:00:00.000Z') };
  const now = () => new Date(clock.at);
  const url = () => `${party.baseUrl}/eurofxref-daily.xml`;
  const source = (more: object = {}) => createEcbRates({ url: url(), halfSpreadBps: ZERO, now, ...more });

  it('downloads the file once for requests in short succession', async () => {
    const ecb = source();
    const { snapshot } = await ecb.read();
    expect([party.script.paths.at(-1), snapshot.rates.size]).toEqual(['GET /eurofxref-daily.xml', 29]);
    const asked = party.script.paths.length;
    await ecb.read();
    expect(party.script.paths).toHaveLength(asked);
    clock.at += 5 * 60_000;
    await ecb.read();
    expect(party.script.paths).toHaveLength(asked + 1);
  });

  it.each<[Reply]>([['break'], ['silent'], [{ status: 404, body: FILE }], [{ status: 503, body: '' }]])(
    'throws PartyAway on the answer %j',
    async (reply) => {
      party.script.reply = reply;
      await expect(source({ timeoutMs: 300 }).read()).rejects.toBeInstanceOf(PartyAway);
    },
  );

  it('throws UnreadableRates on other content', async () => {
    party.script.reply = { status: 200, body: '<html>' };
    await expect(source().read()).rejects.toBeInstanceOf(UnreadableRates);
  });

  it('gives usable rates for five days from the start of its day', async () => {
    clock.at = Date.parse('2026-03-02T09:00:00.000Z'); // the Monday after
    const configured = configuredSource({ source: 'ecb', url: url(), halfSpreadBps: ZERO }, now);
    expect(configured.everyMs).toBe(60 * 60_000);
    const rates = createRates(configured.source, { log: pino({ level: 'silent' }), now, ...configured });
    await rates.ready();
    expect(rates.rate('EUR', 'USD').bid.toFixed()).toBe('1.0921');
    clock.at = Date.parse('2026-03-04T00:00:00.000Z');
    expect(rates.snapshot().rates.size).toBe(29);
    clock.at += 1;
    await rates.ready();
    expect(() => rates.rate('EUR', 'USD')).toThrow(
      expect.objectContaining({ status: 503, code: 'unavailable' }),
    );
    expect(() => rates.snapshot()).toThrow(expect.objectContaining({ status: 503 }));
  });
});
