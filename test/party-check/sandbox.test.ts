/** @long runs every check against every party of the sandbox. */
import { startListener } from '../../scripts/party-check/listener';
import { Decimal } from '../../src/kernel/money/money';
import { receivePayment } from '../../src/parties/bank/sandbox/receive';
import { PARTY_PROTOCOLS } from '../../src/parties/definitions';
import { type CheckedWorld, checkedWorld, notOk } from './support';

/** Each party of the sandbox passes the checks that a real party's bridge must pass. */

let world: CheckedWorld;
beforeAll(async () => {
  world = await checkedWorld();
});
afterAll(() => world.close());

/** Orders with a magic value, for parties where an ordinary order changes nothing. */
const ORDERS: Record<string, Record<string, unknown>> = {
  checkout: { amount: '700.01' },
  screening: { address: `0x${'7'.repeat(34)}bad002` },
};

/** A payment from outside to an IBAN. */
const receivedPayment = (callbackUrl: string) =>
  world.api.database.transaction((tx) =>
    receivePayment(
      tx,
      { iban: 'LT000000000000000000', amount: new Decimal(1000), currency: 'EUR', mute: false },
      { callbackUrl, at: new Date() },
    ),
  );

const ORDERED = [
  ...['payouts', 'external-cards', 'checkout', 'exchange'],
  ...['card-processor', 'cardholder-review', 'rates', 'screening'],
];

/** The parties are checked concurrently, because a check mostly waits for the party. */
it(`${ORDERED.join(', ')}: each keeps its protocol`, async () => {
  const checked = await Promise.all(
    ORDERED.map(async (party) => {
      const results = await world.check(party, { order: ORDERS[party] ?? {} });
      return { party, notOk: notOk(results), isWhole: results.length > (party === 'rates' ? 3 : 15) };
    }),
  );
  expect(checked).toEqual(ORDERED.map((party) => ({ party, notOk: [], isWhole: true })));
});

it('bank: keeps its protocol with a received payment, because it takes no orders', async () => {
  const callbacks = await startListener();
  const record = await receivedPayment(callbacks.url);
  expect(notOk(await world.check('bank', { record, callbacks }))).toEqual([
    'skipped changes.lists: nothing was ordered',
    'skipped callback.arrives: no order names an address for callbacks',
  ]);
  await callbacks.close();
});

it('checks a party without any record', async () => {
  const results = await world.check('bank', { callbacks: undefined });
  expect(results.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
});

it('knows each party', () => {
  expect(PARTY_PROTOCOLS.map(({ name }) => name).sort()).toEqual([...ORDERED, 'bank'].sort());
});
