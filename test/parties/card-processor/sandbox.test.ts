/** @long */
import { newId } from '../../../src/kernel/ids';
import { luhnDigit, passesLuhn } from '../../../src/kernel/wire/card-number';
import { cardNumber } from '../../../src/parties/card-processor/card-number';
import type { CardProcessor } from '../../../src/parties/card-processor/port';
import { SCENARIOS } from '../../../src/parties/card-processor/sandbox/scenarios';
import { OutcomeUnknown, PartyRefused } from '../../../src/process/party-errors';
import { type SandboxWorld, sandboxWorld } from '../sandbox/support';

describe('card numbers', () => {
  it('pass the Luhn check only with the right last digit', () => {
    for (const number of ['4242424242424242', '5555555555554444', '378282246310005']) {
      expect(passesLuhn(number)).toBe(true);
      const wrong = number.slice(0, -1) + String((Number(number.at(-1)) + 1) % 10);
      expect(passesLuhn(wrong)).toBe(false);
    }
    expect(luhnDigit('7992739871')).toBe('3');
  });

  it('have sixteen digits under the BIN, pass the Luhn check and are unique', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => cardNumber('44112200', BigInt(index + 1)));
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const number of numbers) {
      expect(number).toMatch(/^44112200\d{8}$/);
      expect(passesLuhn(number)).toBe(true);
    }
  });
});

describe('the sandbox', () => {
  let world: SandboxWorld;
  let processor: CardProcessor;
  beforeAll(async () => {
    world = await sandboxWorld({ cardProcessorSeconds: 1 });
    processor = world.api.services.parties.cardProcessor;
  });
  afterAll(() => world.close());

  const later = (seconds: number) => {
    world.clock.at += seconds * 1000;
  };
  const callbackUrl = 'https://api.example/callbacks/card-processor';
  const order = (key: string, label: string | null = null) => ({
    key,
    bin: '53112202',
    currency: 'EUR',
    cardholderId: 'chd_x',
    label,
    callbackUrl,
  });
  const issued = async (label: string | null = null) => {
    const key = newId('card');
    await processor.issue(order(key, label)).catch(() => undefined);
    later(100_000);
    const issuance = await processor.issue(order(key, label));
    if (issuance.status !== 'issued') throw new Error(issuance.status);
    return { key, ...issuance };
  };

  it('decides after its delay, and returns the same card for the same key', async () => {
    const key = newId('card');
    expect(await processor.issuance(key)).toBe('unknown_to_party');
    expect(await processor.issue(order(key))).toEqual({ version: 1, status: 'processing' });
    later(0.5);
    expect(await processor.issuance(key)).toEqual({ version: 1, status: 'processing' });
    later(0.5);
    const issuance = await processor.issuance(key);
    const made = new Date(world.clock.at);
    expect(issuance).toEqual({
      version: 2,
      status: 'issued',
      reference: expect.stringMatching(/^sandbox-card-\d+$/),
      last4: expect.stringMatching(/^\d{4}$/),
      expiryMonth: made.getUTCMonth() + 1,
      expiryYear: made.getUTCFullYear() + 4,
    });
    expect(await processor.issue(order(key))).toEqual(issuance);
  });

  it('makes one card when many orders with one key arrive together', async () => {
    const key = newId('card');
    await Promise.all(Array.from({ length: 10 }, () => processor.issue(order(key))));
    const rows = await world.api.database.query('select id from sandbox_orders where key = $1', [key]);
    expect(rows).toHaveLength(1);
    const changes = 'select at from sandbox_party_changes where ref = $1';
    expect(await world.api.database.query(changes, [key])).toHaveLength(2);
  });

  it('shows the number and CVV, which it stores sealed', async () => {
    const { key, reference, last4, expiryMonth, expiryYear } = await issued();
    const sensitive = await processor.sensitive(reference);
    expect(sensitive).toEqual({
      cardNumber: expect.stringMatching(new RegExp(`^53112202\\d{4}${last4}$`)),
      cvv: expect.stringMatching(/^\d{3}$/),
      expiryMonth,
      expiryYear,
    });
    expect(await processor.sensitive(reference)).toEqual(sensitive);
    expect(passesLuhn(sensitive.cardNumber)).toBe(true);
    const [row] = await world.api.database.query<{ state: object }>(
      'select state from sandbox_orders where key = $1',
      [key],
    );
    expect(row?.state).toHaveProperty('numberSealed');
    expect(JSON.stringify(row)).not.toContain(sensitive.cardNumber);
    await expect(processor.sensitive('sandbox-card-0')).rejects.toMatchObject({
      name: 'PartyAway',
      message: expect.stringContaining('does not know'),
    });
  });

  it('refuses a card by its label, at once or after a delay', async () => {
    const [quick, slow] = [newId('card'), newId('card')];
    await processor.issue(order(quick, 'sandbox:refuse'));
    await processor.issue(order(slow, 'sandbox:slow-refuse'));
    const failed = { version: 2, status: 'failed', failureCode: 'processor_refused' };
    later(1);
    expect(await processor.issuance(quick)).toEqual(failed);
    expect(await processor.issuance(slow)).toEqual({ version: 1, status: 'processing' });
    later(19);
    expect(await processor.issuance(slow)).toEqual(failed);
  });

  it('loses the first answer or the first order by the label', async () => {
    const [answer, lost] = [
      order(newId('card'), 'sandbox:timeout'),
      order(newId('card'), 'sandbox:lost-order'),
    ];
    await expect(processor.issue(answer)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await processor.issuance(answer.key)).toMatchObject({ status: 'processing' });
    await expect(processor.issue(lost)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await processor.issuance(lost.key)).toBe('unknown_to_party');
    expect(await processor.issue(lost)).toMatchObject({ status: 'processing' });
  });

  it('is unreachable for thirty seconds by the label', async () => {
    const away = order(newId('card'), 'sandbox:unreachable');
    const ask = () => processor.issue(away);
    const isAway = { name: 'PartyAway' };
    await expect(ask()).rejects.toMatchObject(isAway);
    later(29);
    await expect(ask()).rejects.toMatchObject(isAway);
    await expect(processor.issuance(away.key)).rejects.toMatchObject(isAway);
    later(1);
    expect(await ask()).toMatchObject({ status: 'processing' });
  });

  it('closes a card at once, after a delay, or once it is reachable again', async () => {
    const close = async (reference: string) => {
      const { status } = await processor.close({ key: `close-${reference}`, reference, callbackUrl });
      return status;
    };
    expect(await close((await issued()).reference)).toBe('closed');
    const slow = (await issued('sandbox:close-slow')).reference;
    expect(await processor.closure({ key: `close-${slow}`, reference: slow })).toBe('unknown_to_party');
    expect(await close(slow)).toBe('processing');
    later(30);
    expect([await close(slow), await close(slow)]).toEqual(['closed', 'closed']);
    expect(await processor.closure({ key: `close-${slow}`, reference: slow })).toMatchObject({
      version: 2,
      status: 'closed',
    });
    const away = (await issued('sandbox:close-unreachable')).reference;
    await expect(close(away)).rejects.toMatchObject({ name: 'PartyAway' });
    later(86_400);
    expect(await close(away)).toBe('closed');
  });

  it('refuses a second closure under another key, and the closure of an unknown card', async () => {
    const { reference } = await issued();
    const close = (key: string, of = reference) => processor.close({ key, reference: of, callbackUrl });
    await close('close-one');
    await expect(close('close-two')).rejects.toEqual(new PartyRefused('closed_already'));
    await expect(close('close-three', 'sandbox-card-0')).rejects.toMatchObject({ name: 'PartyAway' });
  });

  it('tokenizes a card, or refuses by its label', async () => {
    const tokenize = (key: string, reference: string) =>
      processor.tokenize({ key, reference, wallet: 'apple_pay', callbackUrl });
    const fine = (await issued()).reference;
    expect(await processor.tokenization({ key: 't1', reference: fine })).toBe('unknown_to_party');
    expect(await tokenize('t1', fine)).toEqual({ version: 1, status: 'completed' });
    expect(await tokenize('t1', fine)).toEqual({ version: 1, status: 'completed' });
    const refused = (await issued('sandbox:tokenize-refuse')).reference;
    const failed = { version: 1, status: 'failed', failureCode: 'wallet_refused' };
    expect(await tokenize('t2', refused)).toEqual(failed);
    expect(await processor.tokenization({ key: 't2', reference: refused })).toEqual(failed);
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
