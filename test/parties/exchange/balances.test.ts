import { PartyAway } from '../../../src/process/party-errors';
import { json, type Reply, scriptedParty } from '../protocol/scripted-party';

/** Our balances at the exchange, read by its adapter. */

let party: Awaited<ReturnType<typeof scriptedParty>>;
beforeAll(async () => {
  party = await scriptedParty();
});
afterAll(() => party.close());

describe('the balances', () => {
  const told = (balances: unknown, asOf: unknown = '2026-01-31T12:00:00Z') => json(200, { asOf, balances });
  const usd = { currency: 'USD', amount: '10084.10' };

  it('have one time and may be negative', async () => {
    party.script.reply = told([usd, { currency: 'EUR', amount: '-0.01' }]);
    const { asOf, balances } = await party.exchange.balances();
    expect(asOf).toEqual(new Date('2026-01-31T12:00:00Z'));
    expect(balances.map(({ currency, amount }) => [currency, amount.toFixed()])).toEqual([
      ['USD', '10084.1'],
      ['EUR', '-0.01'],
    ]);
    party.script.reply = told([]);
    expect((await party.exchange.balances()).balances).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['a currency that stands twice', told([usd, usd])],
    ['an amount that is a number', told([{ ...usd, amount: 1 }])],
    ['no time', told([usd], 'today')],
    ['no balances', told(undefined)],
    ['a path that is not there', json(404, { code: 'not_found', message: 'not_found' })],
    ['a fault', { status: 500, body: '<html>' }],
    ['a broken connection', 'break'],
  ])('are unknown after %s', async (_, reply) => {
    party.script.reply = reply;
    await expect(party.exchange.balances()).rejects.toBeInstanceOf(PartyAway);
  });
});
