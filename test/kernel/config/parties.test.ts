import { ConfigError, readConfig } from '../../../src/kernel/config/config';
import { readPartySettings } from '../../../src/kernel/config/parties';
import { PARTIES, type Party, partyVariable } from '../../../src/kernel/parties';
import { masterKeysText } from '../../support/keyring';

const SECRET = 'x'.repeat(32);
const given = (...parties: Party[]) =>
  Object.fromEntries(
    parties.flatMap((party) => [
      [`${partyVariable(party)}_URL`, 'https://party.example.com/base/'],
      [`${partyVariable(party)}_SECRET`, SECRET],
    ]),
  );
const LIVE = { MODE: 'live', MASTER_KEYS: masterKeysText(Buffer.alloc(32)) };

function messageOf(environment: Record<string, string>): string {
  try {
    readConfig(environment, 'reaches');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return '';
}

it('reads the address of each party, and parties that are left out', () => {
  const { parties } = readConfig(
    { ...LIVE, ...given(...PARTIES.slice(1)), PARTY_CARD_PROCESSOR: 'off' },
    'reaches',
  );
  expect(Object.keys(parties)).toEqual(PARTIES);
  expect(parties.cardProcessor).toBe('off');
  expect(parties.externalCards).toEqual({
    url: 'https://party.example.com/base',
    secret: Buffer.from(SECRET),
  });
});

it('uses the sandbox for all parties by default, and accepts a single real one', () => {
  expect(readConfig({}).parties.bank).toBeUndefined();
  const { parties } = readConfig({ PARTY_BANK_URL: 'http://127.0.0.1:9', PARTY_BANK_SECRET: SECRET });
  expect(parties.bank).toMatchObject({ url: 'http://127.0.0.1:9' });
  expect(parties.payouts).toBeUndefined();
});

it('names all missing variables in one message, without values', () => {
  const environment = {
    MODE: 'live',
    PORT: 'high',
    PARTY_PAYOUTS_URL: 'https://payouts.example.com',
    PARTY_BANK: 'on',
    PARTY_RATES_URL: 'http://rates.example.com',
    PARTY_RATES_SECRET: 'hush',
  };
  const message = messageOf(environment);
  for (const name of ['PORT', 'PARTY_PAYOUTS_SECRET', 'PARTY_BANK', 'PARTY_RATES_URL', 'PARTY_RATES_SECRET'])
    expect(message).toContain(`\n  ${name}: `);
  expect(message).not.toMatch(/hush|example\.com/);
  const missing = messageOf(LIVE);
  for (const party of PARTIES) {
    const name = partyVariable(party);
    expect(missing).toContain(`${name}_URL and ${name}_SECRET`);
    expect(missing).toContain(`${name}=off`);
  }
  expect(missing).toContain('PARTY_SCREENING=off (which screens no deposit and no payout on chains)');
  expect(missing.split('\n')).toHaveLength(1 + PARTIES.length);
  expect(messageOf({ MODE: 'live' })).toMatch(/MASTER_KEYS[^]*PARTY_CARD_PROCESSOR_URL/);
});

it('needs no checkout beside Stripe, and refuses one', () => {
  const stripe = { STRIPE_SECRET_KEY: 'sk_live_abc', STRIPE_WEBHOOK_SECRET: 'whsec_abc' };
  const others = given(...PARTIES.filter((party) => party !== 'checkout'));
  expect(messageOf({ ...LIVE, ...others, ...stripe })).toBe('');
  expect(messageOf({ ...LIVE, ...others, ...stripe, ...given('checkout') })).toContain('PARTY_CHECKOUT');
});

it('reads no party settings in a role that needs none', () => {
  expect(() => readConfig(LIVE)).not.toThrow();
});

describe('the address of a party', () => {
  const linesOf = (url: string, secret = SECRET) =>
    readPartySettings({ PARTY_BANK_URL: url, PARTY_BANK_SECRET: secret }).wrong;

  it.each([
    'https://bank.example.com',
    'http://127.0.0.1:8081/parties/bank',
    'http://[::1]:8081',
    'http://10.1.2.3',
    'http://192.168.0.7:80',
    'http://parties:8081/bank',
    'http://localhost:1',
  ])('may be %s', (url) => expect(linesOf(url)).toEqual([]));

  it.each([
    'http://bank.example.com',
    'http://8.8.8.8',
    'ftp://bank',
    'bank.example.com',
    'https://user:secret@bank.example.com',
    'https://bank.example.com/?key=1',
    'https://bank.example.com/#part',
  ])('may not be %s', (url) =>
    expect(linesOf(url)).toEqual([expect.stringMatching(/^PARTY_BANK_URL: must/)]),
  );

  it('needs a secret of 32 bytes, and excludes off', () => {
    expect(linesOf('https://bank.example.com', 'x'.repeat(31))).toEqual([
      'PARTY_BANK_SECRET: must be at least 32 bytes',
    ]);
    expect(readPartySettings({ PARTY_BANK_SECRET: SECRET }).wrong).toEqual([
      'PARTY_BANK_URL: must be given with the secret',
    ]);
    expect(readPartySettings({ PARTY_BANK: 'off', ...given('bank') }).wrong).toHaveLength(1);
  });
});
