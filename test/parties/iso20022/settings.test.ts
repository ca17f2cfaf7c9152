import { readBankFiles } from '../../../src/kernel/config/bank-files';
import { readConfig } from '../../../src/kernel/config/config';
import { EUR_ACCOUNT, USD_ACCOUNT } from './samples';

const GIVEN = {
  BANK_FILES_FOLDER: '/var/bank',
  BANK_COMPANY: 'Example Cards GmbH',
  BANK_BIC: 'SOGEDEFFXXX',
  BANK_ACCOUNTS: `EUR=${EUR_ACCOUNT}, USD=${USD_ACCOUNT}`,
};

describe('the settings of a bank by files', () => {
  it('have their defaults', () => {
    expect(readBankFiles(GIVEN)).toEqual({
      wrong: [],
      bankFiles: {
        folder: '/var/bank',
        company: 'Example Cards GmbH',
        bic: 'SOGEDEFFXXX',
        accounts: [
          { currency: 'EUR', iban: EUR_ACCOUNT },
          { currency: 'USD', iban: USD_ACCOUNT },
        ],
        serves: ['payouts', 'bank'],
        swiftCharges: 'DEBT',
        batchSeconds: 60,
        settleSeconds: 120,
        signer: undefined,
      },
    });
    expect(readBankFiles({})).toEqual({ bankFiles: undefined, wrong: [] });
  });

  it.each([
    ['BANK_COMPANY', ''],
    ['BANK_COMPANY', 'Zoë GmbH'],
    ['BANK_BIC', 'NONE'],
    ['BANK_ACCOUNTS', ''],
    ['BANK_ACCOUNTS', 'EUR=DE00512108001245126199'],
    ['BANK_ACCOUNTS', `USDT=${EUR_ACCOUNT}`],
    ['BANK_ACCOUNTS', `EUR=${EUR_ACCOUNT},EUR=${USD_ACCOUNT}`],
    ['BANK_FILES_SERVE', 'checkout'],
    ['BANK_SWIFT_CHARGES', 'CRED'],
    ['BANK_FILES_BATCH_SECONDS', '-1'],
    ['BANK_FILES_SETTLE_SECONDS', '1.5'],
    ['BANK_FILES_SIGNER', 'c2hvcnQ='],
  ])('name the wrong variable %s, as in “%s”', (name, value) => {
    expect(readBankFiles({ ...GIVEN, [name]: value }).wrong).toEqual([expect.stringMatching(`^${name}: `)]);
  });

  it('take the place of two parties in live mode', () => {
    const live = () => readConfig({ ...GIVEN, MODE: 'live' }, 'reaches');
    expect(live).toThrow(/PARTY_CHECKOUT_URL/);
    expect(live).not.toThrow(/PARTY_(BANK|PAYOUTS)/);
  });

  it('belong to the folder, and exclude the party over HTTP', () => {
    expect(readBankFiles({ BANK_BIC: 'SOGEDEFFXXX' }).wrong).toEqual([
      'BANK_BIC: must be given with BANK_FILES_FOLDER',
    ]);
    const both = { ...GIVEN, PARTY_BANK_URL: 'https://bank.example.com', PARTY_BANK_SECRET: 's'.repeat(32) };
    expect(() => readConfig(both, 'reaches')).toThrow('PARTY_BANK: must not be given with BANK_FILES_FOLDER');
    expect(readConfig({ ...both, BANK_FILES_SERVE: 'payouts' }, 'reaches').outside.bankFiles?.serves).toEqual(
      ['payouts'],
    );
  });
});
