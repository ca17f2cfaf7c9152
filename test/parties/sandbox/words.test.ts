/** @long plays every magic value of every party to its end. */
import { Decimal } from '../../../src/kernel/money/money';
import { BANK_SCENARIOS } from '../../../src/parties/bank/sandbox/scenarios';
import { SCENARIOS } from '../../../src/parties/card-processor/sandbox/scenarios';
import { REVIEW_SCENARIOS } from '../../../src/parties/cardholder-review/sandbox/scenarios';
import { CHECKOUT_SCENARIOS } from '../../../src/parties/checkout/sandbox/scenarios';
import { EXCHANGE_SCENARIOS } from '../../../src/parties/exchange/sandbox/scenarios';
import { CARD_SCENARIOS } from '../../../src/parties/external-cards/sandbox/scenarios';
import type { SandboxParty } from '../../../src/parties/sandbox/options';
import { PAYING_SCENARIOS } from '../../../src/parties/sandbox/paying/scenarios';
import { SCREENING_SCENARIOS } from '../../../src/parties/screening/sandbox/scenarios';
import { PartyRefused } from '../../../src/process/party-errors';
import {
  application,
  card,
  cardOrder,
  changesOf,
  closure,
  credit,
  deal,
  type Place,
  payout,
  readAll,
  type SandboxWorld,
  sandboxWorld,
  screening,
  session,
  tokenization,
  withdrawal,
} from './support';

/** The states that the sandbox's parties report as time passes, for each of their magic values. */

let world: SandboxWorld;
beforeAll(async () => {
  world = await sandboxWorld();
});
afterAll(() => world.close());

const pass = (seconds: number): void => {
  world.clock.at += seconds * 1000;
};

const EVERY: [SandboxParty, string, Place][] = [
  ...CHECKOUT_SCENARIOS.filter(({ refusal, unreachableSeconds, losesFirstAnswer }) =>
    [refusal, unreachableSeconds, losesFirstAnswer].every((fault) => fault === undefined),
  ).map(({ amount }): [SandboxParty, string, Place] => ['checkout', amount, session]),
  ...PAYING_SCENARIOS.filter(({ orderRefusal }) => orderRefusal === undefined).flatMap(
    ({ amount }): [SandboxParty, string, Place][] => [
      ['payouts', amount, payout],
      ['exchange', amount, withdrawal],
    ],
  ),
  ...EXCHANGE_SCENARIOS.filter(({ orderRefusal }) => orderRefusal === undefined).map(
    ({ amount }): [SandboxParty, string, Place] => ['exchange', amount, deal],
  ),
  ...CARD_SCENARIOS.filter(({ orderRefusal }) => orderRefusal === undefined).flatMap(
    ({ token }): [SandboxParty, string, Place][] => [
      ['external-cards', token, cardOrder('topup')],
      ['external-cards', token, cardOrder('withdrawal')],
    ],
  ),
  ...SCENARIOS.map(({ label }): [SandboxParty, string, Place] => ['card-processor', label, card]),
  ...SCENARIOS.filter(({ refusal }) => refusal === undefined).flatMap(
    ({ label }): [SandboxParty, string, Place][] => [
      ['card-processor', label, closure],
      ['card-processor', label, tokenization],
    ],
  ),
  ...REVIEW_SCENARIOS.filter(({ unreachableSeconds = 0 }) => Number.isFinite(unreachableSeconds)).map(
    ({ accountPurpose }): [SandboxParty, string, Place] => ['cardholder-review', accountPurpose, application],
  ),
  ...SCREENING_SCENARIOS.map(({ ending }): [SandboxParty, string, Place] => ['screening', ending, screening]),
  ...BANK_SCENARIOS.map(({ amount }): [SandboxParty, string, Place] => ['bank', amount, credit]),
];

describe.each(EVERY)('%s at %s', (party, magic, place) => {
  it('changes its state only with a new version, and lists each version on time', async () => {
    const read = changesOf(world, party);
    const before = (await readAll(read)).place;
    const { ref, word } = await place(world, magic);
    const versions = new Map<number, string>();
    let last = 0;
    for (const seconds of [0, 0.1, 0.1, 0.1, 1, 4, 5, 5, 5, 5, 5, 30, 5, 40, 86_400]) {
      pass(seconds);
      const { version, ...said } = await word();
      const text = JSON.stringify(said);
      expect(version).toBeGreaterThanOrEqual(last);
      expect(versions.get(version) ?? text).toBe(text);
      versions.set(version, text);
      last = version;
      const listed = (await readAll(read, before)).changes.filter((change) => change.ref === ref);
      expect(listed.map((change) => change.version)).toEqual(
        Array.from({ length: version }, (_, n) => n + 1),
      );
    }
  });
});

it('payouts: the money comes back later, whole or in parts', async () => {
  const whole = await payout(world, '901.07');
  const parts = await payout(world, '901.08');
  const both = await payout(world, '901.14');
  pass(10);
  expect(await whole.word()).toMatchObject({ status: 'completed', sent: '901.07', returns: [] });
  pass(10);
  expect(await whole.word()).toMatchObject({ status: 'returned', returns: [{ amount: '901.07' }] });
  expect(await parts.word()).toMatchObject({ status: 'returned', returns: [{ amount: '450.54' }] });
  const [first] = (await both.word())['returns'];
  expect(first.amount).toBe('450.57');
  pass(20);
  const { returns, sent } = await both.word();
  expect([sent, returns[0], returns[1].amount, returns.length]).toEqual(['901.14', first, '450.57', 2]);
  expect((await parts.word())['returns']).toHaveLength(1);
});

it('payouts: a failed order has sent nothing, also after it was sent', async () => {
  const refused = await payout(world, '901.01');
  const undone = await payout(world, '901.09');
  pass(1);
  const failed = { status: 'failed', failureCode: 'account_not_found', sent: '0' };
  expect(await refused.word()).toMatchObject(failed);
  expect(await undone.word()).toMatchObject({ status: 'sent', sent: '901.09' });
  pass(20);
  expect(await undone.word()).toMatchObject({ status: 'failed', failureCode: 'bank_refused', sent: '0' });
});

it('payouts, cards: an order that is refused at once leaves no record', async () => {
  const { payouts, externalCards } = world.api.services.parties;
  const money = { amount: new Decimal('901.15'), currency: 'EUR', callbackUrl: 'https://api.example/' };
  const sepa = { key: 'refused-payout', method: 'sepa', destination: {}, ...money } as const;
  await expect(payouts.order(sepa)).rejects.toEqual(new PartyRefused('account_closed'));
  const ends = { expiresAt: new Date(world.clock.at + 60_000), returnUrl: null, merchant: 'Acme' };
  const charge = { key: 'refused-charge', token: 'tok_refused', ...money, ...ends };
  for (const kind of ['topup', 'withdrawal'] as const)
    await expect(externalCards.order(kind, charge)).rejects.toEqual(new PartyRefused('card_not_supported'));
  expect(await payouts.ask(sepa.key)).toBe('unknown_to_party');
  expect(await externalCards.ask(charge.key)).toBe('unknown_to_party');
});

it('cards: an order is charged back, won back, or fails after its completion', async () => {
  const back = await cardOrder('topup')(world, 'tok_chargeback');
  const won = await cardOrder('topup')(world, 'tok_chargeback_won');
  const undone = await cardOrder('topup')(world, 'tok_undone');
  const pushed = await cardOrder('withdrawal')(world, 'tok_undone');
  pass(1);
  for (const order of [back, won, undone, pushed])
    expect(await order.word()).toMatchObject({ status: 'succeeded', moved: '100', returns: [] });
  pass(5);
  expect(await back.word()).toMatchObject({ moved: '100', returns: [{ amount: '100' }] });
  expect(await won.word()).toMatchObject({ moved: '100', returns: [{ amount: '100' }] });
  for (const order of [undone, pushed])
    expect(await order.word()).toMatchObject({
      status: 'failed',
      failureCode: 'payment_reversed',
      moved: '0',
    });
  pass(5);
  expect(await won.word()).toMatchObject({ status: 'succeeded', moved: '100', returns: [] });
  expect((await back.word())['returns']).toHaveLength(1);
});

describe('checkout', () => {
  const refund = (sessionId: string, key: string, amount: string) =>
    world.api.services.parties.checkout.refund({
      key: key + sessionId,
      sessionId,
      amount: new Decimal(amount),
      currency: 'EUR',
    });

  it('returns the first state of a session in the answer to its order', async () => {
    const { ref, made, word } = await session(world, '700.02');
    expect(made.word).toMatchObject({ version: 1, page: 'open', payments: [], refunds: [], disputes: [] });
    expect(await word()).toMatchObject({ version: 2, page: 'paid', payments: [{ status: 'pending' }] });
    const { changes } = await world.api.services.parties.checkout.changes(null);
    expect(changes.filter((change) => change.ref === ref).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('names the key of its order and each payment', async () => {
    const { ref, key, word } = await session(world, '700.02');
    const [payment] = (await word())['payments'];
    expect(await word()).toMatchObject({ key, page: 'paid', payments: [{ status: 'pending' }] });
    pass(20);
    expect((await word())['payments']).toEqual([{ ...payment, status: 'settled' }]);
    await refund(ref, 'rfd', '5');
    expect((await word())['refunds']).toMatchObject([{ key: `rfd${ref}`, amount: '5', status: 'succeeded' }]);
  });

  it('has a refund that succeeds and later fails', async () => {
    const { ref, word } = await session(world, '700.15');
    expect(await refund(ref, 'a', '700.15')).toMatchObject({ status: 'succeeded' });
    pass(5);
    expect((await word())['refunds']).toMatchObject([{ status: 'failed' }]);
    expect(await refund(ref, 'b', '700.15')).toMatchObject({ status: 'succeeded' });
  });

  it('has a dispute that is lost and then won', async () => {
    const { word } = await session(world, '700.16');
    const seen: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      seen.push((await word())['disputes'][0]?.status ?? 'none');
      pass(5);
    }
    expect(seen).toEqual(['none', 'open', 'lost', 'won']);
  });

  it('is paid a second time', async () => {
    const { word } = await session(world, '700.17');
    expect((await word())['payments']).toHaveLength(1);
    pass(5);
    const { payments, page } = await word();
    expect(page).toBe('paid');
    expect(payments.map(({ amount, status }: any) => [amount, status])).toEqual([
      ['700.17', 'settled'],
      ['700.17', 'settled'],
    ]);
    expect(payments[0].id).not.toBe(payments[1].id);
  });

  it('is paid after it has expired', async () => {
    const { word } = await session(world, '700.18', 30);
    pass(30);
    expect(await word()).toMatchObject({ page: 'expired', payments: [] });
    pass(5);
    expect(await word()).toMatchObject({ page: 'paid', payments: [{ status: 'settled' }] });
  });

  it('makes no automatic payment after the payer has acted', async () => {
    const { word, page } = await session(world, '700.11', 30);
    const cancel = new URLSearchParams({ action: 'cancel' });
    await fetch(page, { method: 'POST', body: cancel, redirect: 'manual' });
    const { version } = await word();
    pass(90);
    expect(await word()).toMatchObject({ page: 'cancelled', payments: [], version });
  });
});

describe('the bank', () => {
  const giveBack = (creditId: string, key: string, amount: string) =>
    world.api.services.parties.bank.giveBack({ key: key + creditId, creditId, amount: new Decimal(amount) });

  it('recalls the share that the amount selects', async () => {
    const whole = await credit(world, '801.01');
    const part = await credit(world, '801.02');
    expect(await whole.word()).toMatchObject({ amount: '801.01', recalls: [], returns: [] });
    pass(5);
    expect((await whole.word())['recalls']).toMatchObject([{ amount: '801.01' }]);
    expect((await part.word())['recalls']).toMatchObject([{ amount: '320.4' }]);
    await expect(giveBack(whole.ref, 'a', '0.01')).rejects.toEqual(new PartyRefused('amount_too_large'));
    await giveBack(part.ref, 'b', '480.62');
    await expect(giveBack(part.ref, 'c', '0.01')).rejects.toMatchObject({ code: 'amount_too_large' });
  });

  it('returns a payment once for each key, and at most its rest', async () => {
    const { ref, word } = await credit(world, '50');
    await Promise.all([giveBack(ref, 'a', '30'), giveBack(ref, 'a', '30'), giveBack(ref, 'a', '30')]);
    await expect(giveBack(ref, 'b', '20.01')).rejects.toMatchObject({ code: 'amount_too_large' });
    await expect(giveBack(ref, 'b', '1.001')).rejects.toBeInstanceOf(PartyRefused);
    pass(1);
    await giveBack(ref, 'b', '20');
    expect((await word())['returns'].map(({ key, amount, status }: any) => [key, amount, status])).toEqual([
      [`a${ref}`, '30', 'succeeded'],
      [`b${ref}`, '20', 'succeeded'],
    ]);
  });

  it('refuses, fails or delays a return by the amount', async () => {
    const refusing = await credit(world, '801.04');
    await expect(giveBack(refusing.ref, 'a', '1')).rejects.toEqual(new PartyRefused('account_closed'));
    const statuses = async (amount: string, seconds: number[]) => {
      const { ref, word } = await credit(world, amount);
      await giveBack(ref, 'a', '1');
      const seen: string[] = [];
      for (const wait of seconds) {
        pass(wait);
        seen.push((await word())['returns'][0].status);
      }
      return seen;
    };
    expect(await statuses('801.03', [0, 5])).toEqual(['pending', 'failed']);
    expect(await statuses('801.05', [0, 19, 1])).toEqual(['pending', 'pending', 'succeeded']);
    expect(await statuses('801.06', [0, 5])).toEqual(['succeeded', 'failed']);
    // The amount of a failed return can be returned again.
    const failing = await credit(world, '801.03');
    await giveBack(failing.ref, 'a', '801.03');
    await expect(giveBack(failing.ref, 'b', '801.03')).rejects.toMatchObject({ code: 'amount_too_large' });
    pass(5);
    await giveBack(failing.ref, 'b', '801.03');
  });

  it('does not know another payment', async () => {
    expect(await world.api.services.parties.bank.ask('sbp-unknown')).toBe('unknown_to_party');
    await expect(giveBack('sbp-unknown', 'a', '1')).rejects.toMatchObject({ name: 'PartyAway' });
  });
});
