import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/kernel/ids';
import { createKeyring } from '../../../src/kernel/security/keyring';
import { luhnDigit, passesLuhn } from '../../../src/kernel/wire/card-number';
import { cardNumber } from '../../../src/parties/card-processor/card-number';
import type { CardProcessor } from '../../../src/parties/card-processor/port';
import { createSandboxCardProcessor } from '../../../src/parties/card-processor/sandbox/processor';
import { SCENARIOS } from '../../../src/parties/card-processor/sandbox/scenarios';
import { type TestDatabase, testDatabase } from '../../support/database';

describe('card numbers', () => {
  it('pass Luhn as known ones do', () => {
    for (const number of ['4242424242424242', '5555555555554444', '378282246310005']) {
      expect(passesLuhn(number)).toBe(true);
      const wrong = number.slice(0, -1) + String((Number(number.at(-1)) + 1) % 10);
      expect(passesLuhn(wrong)).toBe(false);
    }
    expect(luhnDigit('7992739871')).toBe('3');
  });

  it('have sixteen digits under the BIN, pass Luhn, and are never the same', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => cardNumber('44112200', BigInt(index + 1)));
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const number of numbers) {
      expect(number).toMatch(/^44112200\d{8}$/);
      expect(passesLuhn(number)).toBe(true);
    }
  });
});

describe('the sandbox', () => {
  let test: TestDatabase;
  let processor: CardProcessor;
  let at: Date;
  beforeAll(async () => {
    test = await testDatabase();
  });
  beforeEach(() => {
    at = new Date('2026-03-01T12:00:00.000Z');
    processor = createSandboxCardProcessor({
      database: test.database,
      keyring: createKeyring(randomBytes(32)),
      now: () => at,
      random: () => 7,
      decisionMs: 1_000,
    });
  });
  afterAll(() => test.drop());

  const later = (seconds: number) => {
    at = new Date(at.getTime() + seconds * 1000);
  };
  const order = (label: string | null = null) => ({
    bin: '53112202',
    currency: 'EUR',
    cardholderId: 'chd_x',
    label,
  });
  const issued = async (label: string | null = null) => {
    const key = newId('card');
    await processor.issue(key, order(label)).catch(() => undefined);
    later(100_000);
    const issuance = (await processor.issuance(key)) ?? (await processor.issue(key, order(label)));
    if (issuance.status !== 'issued') throw new Error(issuance.status);
    return { key, ...issuance };
  };

  it('decides after its delay, and gives the same card for the same key', async () => {
    const key = newId('card');
    expect(await processor.issuance(key)).toBeUndefined();
    expect(await processor.issue(key, order())).toEqual({ status: 'processing' });
    later(0.5);
    expect(await processor.issuance(key)).toEqual({ status: 'processing' });
    later(0.5);
    const issuance = await processor.issuance(key);
    expect(issuance).toEqual({
      status: 'issued',
      reference: expect.stringMatching(/^sandbox-card-\d+$/),
      last4: expect.stringMatching(/^\d{4}$/),
      expiryMonth: 3,
      expiryYear: 2030,
    });
    expect(await processor.issue(key, order())).toEqual(issuance);
  });

  it('makes one card of many orders at once with one key', async () => {
    const key = newId('card');
    await Promise.all(Array.from({ length: 10 }, () => processor.issue(key, order())));
    const rows = await test.database.query('select reference from sandbox_processor_cards where key = $1', [
      key,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('shows number and CVV, which it keeps sealed', async () => {
    const { key, reference, last4 } = await issued();
    const sensitive = await processor.sensitive(reference);
    expect(sensitive).toEqual({
      cardNumber: expect.stringMatching(new RegExp(`^53112202\\d{4}${last4}$`)),
      cvv: '007',
      expiryMonth: 3,
      expiryYear: 2030,
    });
    expect(passesLuhn(sensitive.cardNumber)).toBe(true);
    const [row] = await test.database.query<{ number_sealed: Buffer }>(
      'select number_sealed from sandbox_processor_cards where key = $1',
      [key],
    );
    expect(row?.number_sealed.includes(sensitive.cardNumber)).toBe(false);
    await expect(processor.sensitive('sandbox-card-0')).rejects.toThrow('does not know');
  });

  it('refuses by the label, at once or slowly', async () => {
    const [quick, slow] = [newId('card'), newId('card')];
    await processor.issue(quick, order('sandbox:refuse'));
    await processor.issue(slow, order('sandbox:slow-refuse'));
    later(1);
    expect(await processor.issuance(quick)).toEqual({ status: 'refused', code: 'processor_refused' });
    expect(await processor.issuance(slow)).toEqual({ status: 'processing' });
    later(19);
    expect(await processor.issuance(slow)).toEqual({ status: 'refused', code: 'processor_refused' });
  });

  it('loses its answer, or the order, once', async () => {
    const [answer, lost] = [newId('card'), newId('card')];
    await expect(processor.issue(answer, order('sandbox:timeout'))).rejects.toThrow('outcome is not known');
    expect(await processor.issuance(answer)).toEqual({ status: 'processing' });
    await expect(processor.issue(lost, order('sandbox:lost-order'))).rejects.toThrow('outcome is not known');
    expect(await processor.issuance(lost)).toBeUndefined();
    expect(await processor.issue(lost, order('sandbox:lost-order'))).toEqual({ status: 'processing' });
  });

  it('cannot be reached for a while', async () => {
    const key = newId('card');
    const ask = () => processor.issue(key, order('sandbox:unreachable'));
    await expect(ask()).rejects.toThrow('cannot be reached');
    later(29);
    await expect(ask()).rejects.toThrow('cannot be reached');
    await expect(processor.issuance(key)).rejects.toThrow('cannot be reached');
    later(1);
    expect(await ask()).toEqual({ status: 'processing' });
  });

  it('closes at once, slowly, or when it can be reached again', async () => {
    const close = (reference: string) => processor.close(`close-${reference}`, reference);
    expect(await close((await issued()).reference)).toBe('closed');
    const slow = (await issued('sandbox:close-slow')).reference;
    expect(await close(slow)).toBe('processing');
    later(30);
    expect([await close(slow), await close(slow)]).toEqual(['closed', 'closed']);
    const away = (await issued('sandbox:close-unreachable')).reference;
    await expect(close(away)).rejects.toThrow('cannot be reached');
    later(86_400);
    expect(await close(away)).toBe('closed');
  });

  it('tokenizes, or refuses', async () => {
    const fine = (await issued()).reference;
    expect(await processor.tokenize('t1', fine, 'apple_pay')).toEqual({ status: 'completed' });
    const refused = (await issued('sandbox:tokenize-refuse')).reference;
    expect(await processor.tokenize('t2', refused, 'google_pay')).toEqual({
      status: 'refused',
      code: 'wallet_refused',
    });
  });

  it('documents each of its magic labels once', () => {
    const labels = SCENARIOS.map((scenario) => scenario.label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const { label, effect, ...behaviour } of SCENARIOS) {
      expect([label, label.startsWith('sandbox:'), effect.length > 0]).toEqual([label, true, true]);
      expect([label, Object.keys(behaviour).length]).not.toEqual([label, 0]);
    }
  });
});
