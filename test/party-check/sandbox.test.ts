/** @long runs every check against every party of the sandbox. */
import { startListener } from '../../scripts/party-check/listener';
import { Decimal } from '../../src/kernel/money/money';
import { receivePayment } from '../../src/parties/bank/sandbox/receive';
import { PARTY_PROTOCOLS } from '../../src/parties/protocols';
import { type CheckedWorld, checkedWorld, notOk } from './support';

/** Each party of the sandbox keeps its protocol: what a bridge is checked by, the sandbox is. */

let world: CheckedWorld;
beforeAll(async () => {
  world = await checkedWorld();
});
afterAll(() => world.close());

/** What makes something happen at a party whose orders alone do not. */
const ORDERS: Record<string, Record<string, unknown>> = { checkout: { amount: '700.01' } };

/** A payment that somebody has made to an IBAN. */
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
  ...['card-processor', 'cardholder-review', 'rates'],
];

/** Side by side: most of the time of a check is waiting for what the party does by itself. */
it(`${ORDERED.join(', ')}: each keeps its protocol`, async () => {
  const checked = await Promise.all(
    ORDERED.map(async (party) => {
      const results = await world.check(party, { order: ORDERS[party] ?? {} });
      return { party, notOk: notOk(results), isWhole: results.length > (party === 'rates' ? 3 : 15) };
    }),
  );
  expect(checked).toEqual(ORDERED.map((party) => ({ party, notOk: [], isWhole: true })));
});

it('bank, which nobody orders a payment from', async () => {
  const callbacks = await startListener();
  const record = await receivedPayment(callbacks.url);
  expect(notOk(await world.check('bank', { record, callbacks }))).toEqual([
    'skipped changes.lists: nothing was ordered',
    'skipped callback.arrives: nothing was ordered that names an address to call',
  ]);
  await callbacks.close();
});

it('a party of which nothing is known yet is asked for what it has', async () => {
  const results = await world.check('bank', { callbacks: undefined });
  expect(results.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
});

it('knows each party', () => {
  const tried = [
    ...['checkout', 'payouts', 'external-cards', 'bank', 'exchange'],
    ...['card-processor', 'cardholder-review', 'rates'],
  ];
  expect(PARTY_PROTOCOLS.map(({ name }) => name)).toEqual(tried);
});
