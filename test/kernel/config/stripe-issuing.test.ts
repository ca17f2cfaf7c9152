import { ConfigError, readConfig } from '../../../src/kernel/config/config';
import { PARTIES, partyVariable } from '../../../src/kernel/parties';
import { masterKeysText } from '../../support/keyring';

/** The settings of Stripe Issuing, beside those of Stripe Checkout. */

const PROGRAMMES = JSON.stringify({ 44112200: { currency: 'EUR' } });
const ISSUING = {
  STRIPE_SECRET_KEY: 'sk_test_abc',
  STRIPE_ISSUING_WEBHOOK_SECRET: 'whsec_abc, whsec_def',
  STRIPE_ISSUING_PROGRAMMES: PROGRAMMES,
  PARTY_CARD_PROCESSOR: 'stripe',
  PARTY_CARDHOLDER_REVIEW: 'stripe',
};

function messageOf(environment: Record<string, string | undefined>): string {
  try {
    readConfig(environment, 'reaches');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return '';
}

it('is on where a party is Stripe, without Checkout', () => {
  const config = readConfig(ISSUING);
  expect(config.outside.stripe).toBeUndefined();
  expect(config.outside.stripeIssuing).toEqual({
    secretKey: 'sk_test_abc',
    webhookSecrets: ['whsec_abc', 'whsec_def'],
    processes: true,
    reviews: true,
    programmes: { 44112200: { currency: 'EUR', type: 'virtual', shipping: 'standard' } },
  });
  expect(config.parties.cardProcessor).toBeUndefined();
});

it('is on for one of both parties, and beside Checkout', () => {
  const { PARTY_CARD_PROCESSOR: _, STRIPE_ISSUING_PROGRAMMES: __, ...registry } = ISSUING;
  const config = readConfig({ ...registry, STRIPE_WEBHOOK_SECRET: 'whsec_ghi' });
  expect(config.outside.stripe).toEqual({ secretKey: 'sk_test_abc', webhookSecret: 'whsec_ghi' });
  expect(config.outside.stripeIssuing).toMatchObject({ processes: false, reviews: true, programmes: {} });
});

it('replaces the addresses of both parties in live mode', () => {
  const others = PARTIES.filter((party) => party !== 'cardProcessor' && party !== 'cardholderReview');
  const live = {
    ...Object.fromEntries(others.map((party) => [partyVariable(party), 'off'])),
    ...ISSUING,
    MODE: 'live',
    MASTER_KEYS: masterKeysText(Buffer.alloc(32)),
    STRIPE_SECRET_KEY: 'rk_live_abc',
  };
  expect(messageOf(live)).toBe('');
  expect(messageOf({ ...live, STRIPE_SECRET_KEY: 'rk_test_abc' })).toContain('needs a live key');
  expect(messageOf({ ...live, PARTY_CARD_PROCESSOR: undefined })).toContain('PARTY_CARD_PROCESSOR=stripe');
});

const programmes = (given: unknown) => ({
  STRIPE_ISSUING_PROGRAMMES: typeof given === 'string' ? given : JSON.stringify(given),
});

it.each([
  ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: undefined }],
  ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'sk_live_abc' }],
  ['STRIPE_ISSUING_WEBHOOK_SECRET', { STRIPE_ISSUING_WEBHOOK_SECRET: undefined }],
  ['STRIPE_ISSUING_WEBHOOK_SECRET', { STRIPE_ISSUING_WEBHOOK_SECRET: 'whsec_abc,abc' }],
  ['STRIPE_ISSUING_PROGRAMMES', { STRIPE_ISSUING_PROGRAMMES: undefined }],
  ['STRIPE_ISSUING_PROGRAMMES', programmes('{')],
  ['STRIPE_ISSUING_PROGRAMMES', programmes({ bin: { currency: 'EUR' } })],
  ['STRIPE_ISSUING_PROGRAMMES', programmes({ 44112200: {} })],
  ['STRIPE_ISSUING_PROGRAMMES', programmes({ 44112200: { currency: 'EUR', type: 'wooden' } })],
  ['STRIPE_ISSUING_PROGRAMMES', programmes({ 44112200: { currency: 'EUR', colour: 'red' } })],
  ['PARTY_CARD_PROCESSOR', { PARTY_CARD_PROCESSOR_URL: 'https://party.example.com' }],
  ['PARTY_CARD_PROCESSOR', { PARTY_CARD_PROCESSOR: 'adyen' }],
  ['PARTY_BANK', { PARTY_BANK: 'stripe' }],
])('names %s at fault in %j', (name, given) => {
  const message = messageOf({ ...ISSUING, ...given });
  expect(message).toContain(name);
  expect(message).not.toMatch(/_abc|_def/);
});
