import { readConfig } from '../../src/kernel/config/config';
import { assertSignerKeys } from '../../src/startup/signer';
import { masterKeysText, SIGNER_KEYS_TEXT } from '../support/keyring';

const OPERATORS = ['ida', 'bob']
  .map((name, place) => `${name}:${Buffer.alloc(32, place).toString('base64')}`)
  .join();

const config = (given: Record<string, string>) =>
  readConfig({ MASTER_KEYS: masterKeysText(), DATABASE_URL: 'postgres://127.0.0.1/none', ...given });

describe('the keys of the signing process', () => {
  it.each(['api', 'worker', 'dispatcher', 'desk', 'parties', 'migrate'] as const)(
    'are refused by the role %s',
    (role) => {
      expect(() => assertSignerKeys(role, config({ SIGNER_KEYS: SIGNER_KEYS_TEXT }))).toThrow(
        'only the signing process',
      );
      expect(() => assertSignerKeys(role, config({}))).not.toThrow();
      const stationKeys = `0x${'1'.repeat(40)}=kms:alias/station`;
      expect(() => assertSignerKeys(role, config({ STATION_KEYS: stationKeys }))).toThrow('STATION_KEYS');
    },
  );

  it('are needed by the role signer', () => {
    expect(() => assertSignerKeys('signer', config({}))).toThrow('needs SIGNER_KEYS');
    expect(() => assertSignerKeys('signer', config({ SIGNER_KEYS: SIGNER_KEYS_TEXT }))).not.toThrow();
  });

  it.each(['signer', 'all'] as const)('need operators with MODE=live, in the role %s', (role) => {
    const live = { MODE: 'live', SIGNER_KEYS: SIGNER_KEYS_TEXT };
    expect(() => assertSignerKeys(role, config(live))).toThrow('SIGNER_OPERATORS');
    expect(() => assertSignerKeys(role, config({ ...live, SIGNER_OPERATORS: OPERATORS }))).not.toThrow();
  });
});
