import { ConfigError, readConfig } from '../../../src/kernel/config/config';
import { ECB_DAILY_URL } from '../../../src/kernel/config/rates';
import { Decimal } from '../../../src/kernel/money/money';
import { masterKeysText } from '../../support/keyring';

const FILE = { RATES_SOURCE: 'file', RATES_FILE: '/etc/rates.json' };
const ECB = { RATES_SOURCE: 'ecb' };
const PARTY = { PARTY_RATES_URL: 'https://rates.example.com', PARTY_RATES_SECRET: 'x'.repeat(32) };

it('is the party by default', () => {
  for (const given of [{}, { RATES_SOURCE: 'party' }, { RATES_SOURCE: '', RATES_FILE: '' }, PARTY])
    expect(readConfig(given).outside.ratesSource).toBeUndefined();
});

it('is a file or the ECB, with a spread if given', () => {
  expect(readConfig(FILE).outside.ratesSource).toEqual({
    source: 'file',
    path: '/etc/rates.json',
    halfSpreadBps: new Decimal(0),
  });
  expect(readConfig(ECB).outside.ratesSource).toMatchObject({ source: 'ecb', url: ECB_DAILY_URL });
  const mirrored = { ...ECB, RATES_ECB_URL: 'http://mirror/daily.xml', RATES_HALF_SPREAD_BPS: '12.5' };
  expect(readConfig(mirrored).outside.ratesSource).toEqual({
    source: 'ecb',
    url: 'http://mirror/daily.xml',
    halfSpreadBps: new Decimal('12.5'),
  });
});

it.each<[Record<string, string>, string]>([
  [{ RATES_SOURCE: 'reuters' }, 'RATES_SOURCE'],
  [{ RATES_SOURCE: 'file' }, 'RATES_FILE'],
  [{ RATES_FILE: '/etc/rates.json' }, 'RATES_FILE'],
  [{ RATES_HALF_SPREAD_BPS: '5' }, 'RATES_HALF_SPREAD_BPS'],
  [{ ...FILE, RATES_HALF_SPREAD_BPS: '-5' }, 'RATES_HALF_SPREAD_BPS'],
  [{ ...FILE, RATES_HALF_SPREAD_BPS: '5001' }, 'RATES_HALF_SPREAD_BPS'],
  [{ ...FILE, RATES_ECB_URL: 'https://mirror.example.com' }, 'RATES_ECB_URL'],
  [{ ...ECB, RATES_FILE: '/etc/rates.json' }, 'RATES_FILE'],
  [{ ...ECB, RATES_ECB_URL: 'http://mirror.example.com' }, 'RATES_ECB_URL'],
  [{ ...ECB, RATES_ECB_URL: 'file:///etc/rates.xml' }, 'RATES_ECB_URL'],
  [{ ...ECB, ...PARTY }, 'PARTY_RATES_URL'],
  [{ ...FILE, PARTY_RATES: 'off' }, 'PARTY_RATES'],
  [{ ...FILE, RATES: 'moving' }, 'RATES'],
])('is refused when it is wrong or contradicts another variable: %j', (given, name) => {
  expect(() => readConfig(given)).toThrow(ConfigError);
  expect(() => readConfig(given)).toThrow(new RegExp(`^( *)${name}: `, 'm'));
});

it('replaces the party in live mode too', () => {
  const live = { MODE: 'live', MASTER_KEYS: masterKeysText(Buffer.alloc(32)) };
  const missing = (given: object) => {
    try {
      readConfig({ ...live, ...given }, 'reaches');
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(missing({})).toContain('PARTY_RATES_URL and PARTY_RATES_SECRET, RATES_SOURCE=file or ecb');
  expect(missing(ECB)).not.toContain('PARTY_RATES');
  expect(missing(FILE)).not.toContain('PARTY_RATES');
});
