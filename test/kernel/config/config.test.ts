import { ConfigError, readConfig } from '../../../src/kernel/config/config';
import { isListed } from '../../../src/kernel/security/address-lists';

const told = (environment: NodeJS.ProcessEnv) => {
  try {
    readConfig(environment, 'reaches');
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return undefined;
};

it('requires the mode in production, because a sandbox there must be intended', () => {
  expect(told({ NODE_ENV: 'production' })).toBe('MODE: must be live or sandbox when NODE_ENV is production.');
  expect(readConfig({ NODE_ENV: 'production', MODE: 'sandbox' }).mode).toBe('sandbox');
  expect(readConfig({}).mode).toBe('sandbox');
});

it('serves metrics on this machine only by default', () => {
  expect(readConfig({ HOST: '0.0.0.0' }).metricsHost).toBe('127.0.0.1');
  expect(readConfig({ METRICS_HOST: '0.0.0.0' }).metricsHost).toBe('0.0.0.0');
});

it('trusts no proxy by default, and the given addresses and networks', () => {
  expect(readConfig({}).trustedProxies).toEqual([]);
  const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1' });
  const listed = ['10.9.9.9', '11.0.0.1', '2001:db8::1'].map((address) => isListed(trustedProxies, address));
  expect(listed).toEqual([true, false, true]);
});

it('locks no name by default, and lets a session rest for 30 minutes', () => {
  expect(readConfig({}).deskSignIn).toEqual({ restMs: 1_800_000, lock: undefined });
  const strict = { DESK_SESSION_REST_MINUTES: '15', DESK_LOCK_FAILURES: '10' };
  expect(readConfig(strict).deskSignIn).toEqual({
    restMs: 900_000,
    lock: { failures: 10, milliseconds: 1_800_000 },
  });
});

it('requires a master key beside a database, except of a migration, which opens no key', () => {
  const environment = { MODE: 'live', DATABASE_URL: 'postgres://runtime@db/cardwright' };
  expect(() => readConfig(environment)).toThrow('MASTER_KEYS: must be given');
  expect(readConfig(environment, 'neither', false).masterKeys).toBeUndefined();
});

it('drains by default in production only', () => {
  const production = { NODE_ENV: 'production', MODE: 'sandbox' };
  expect([readConfig({}).drainSeconds, readConfig(production).drainSeconds]).toEqual([0, 5]);
  expect(readConfig({ ...production, DRAIN_SECONDS: '0' }).drainSeconds).toBe(0);
});

describe('reports a wrong value in one sentence', () => {
  it.each([
    [{ PORT: 'eighty' }, 'PORT: must be a whole number from 0 to 65535 (given: "eighty").'],
    [{ PORT: '80.5' }, 'PORT: must be a whole number from 0 to 65535 (given: "80.5").'],
    [{ METRICS_PORT: '-1' }, 'METRICS_PORT: must be a whole number from 0 to 65535 (given: "-1").'],
    [{ MODE: 'Live' }, 'MODE: must be sandbox or live (given: "Live").'],
    [{ DRAIN_SECONDS: 'long' }, 'DRAIN_SECONDS: must be a number of at least 0 (given: "long").'],
    [{ SHUTDOWN_SECONDS: '0' }, 'SHUTDOWN_SECONDS: must be a number greater than 0 (given: "0").'],
    [
      { TRUSTED_PROXIES: '10.0.0.0/8, proxy' },
      'TRUSTED_PROXIES: must be addresses or networks such as 10.0.0.0/8, separated by commas (given: "10.0.0.0/8, proxy").',
    ],
    [
      { DESK_SESSION_REST_MINUTES: '31' },
      'DESK_SESSION_REST_MINUTES: must be a whole number from 1 to 30 (given: "31").',
    ],
    [{ DESK_LOCK_FAILURES: '11' }, 'DESK_LOCK_FAILURES: must be a whole number from 3 to 10 (given: "11").'],
    [{ DESK_LOCK_MINUTES: '29' }, 'DESK_LOCK_MINUTES: must be a whole number from 30 to 1440 (given: "29").'],
    [{ DATABASE_POOL: '1' }, 'DATABASE_POOL: must be a whole number from 2 to 200 (given: "1").'],
    [
      { PUBLIC_URL: 'here' },
      'PUBLIC_URL: must be an address such as https://cards.example.com (given: hidden).',
    ],
    [{ TEMPORAL_ADDRESS: 'temporal' }, 'TEMPORAL_ADDRESS: must be host:port (given: "temporal").'],
    [{ DATABASE_OWNER_URL: 'postgres://x' }, 'DATABASE_URL: must be given with DATABASE_OWNER_URL.'],
    [
      { DATABASE_READER_URL: 'mysql://x' },
      'DATABASE_READER_URL: must start with postgres:// (given: hidden).',
    ],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: must start with postgres:// (given: hidden).'],
  ])('%j', (environment, sentence) => {
    expect(told(environment)).toBe(sentence);
  });

  it('reports several wrong values on a line each', () => {
    expect(told({ PORT: 'high', RATES: 'up' })).toBe(
      'The environment is not valid:\n' +
        '  PORT: must be a whole number from 0 to 65535 (given: "high").\n' +
        '  RATES: must be still or moving (given: "up").',
    );
  });
});
