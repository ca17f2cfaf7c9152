import { createHttpRates } from '../../../src/parties/rates/http';
import { UnreadableRates } from '../../../src/parties/rates/port';
import { PartyAway } from '../../../src/process/party-errors';
import { json, type Reply, scriptedParty } from '../protocol/scripted-party';

let party: Awaited<ReturnType<typeof scriptedParty>>;
beforeAll(async () => {
  party = await scriptedParty();
});
afterAll(() => party.close());

const asOf = '2026-03-01T12:00:00.000Z';
const read = (more: { timeoutMs?: number } = {}) =>
  createHttpRates({ baseUrl: party.baseUrl, secret: Buffer.alloc(32, 9), ...more }).read();
const told = (rates: unknown, more: object = {}) => {
  party.script.reply = json(200, { base: 'USD', asOf, rates, ...more });
};

it('reads all rates of one moment', async () => {
  told({ EUR: { bid: '1.07892', ask: '1.08108' }, VND: { bid: '0.000039960000000001', ask: '0.00004' } });
  const { snapshot, dropped } = await read();
  expect(party.script.paths.at(-1)).toBe('GET /rates');
  expect([snapshot.base, snapshot.asOf.toISOString(), dropped]).toEqual(['USD', asOf, []]);
  const rows = [...snapshot.rates].map(([currency, { bid, ask }]) => [
    currency,
    bid.toFixed(),
    ask.toFixed(),
  ]);
  expect(rows).toEqual([
    ['EUR', '1.07892', '1.08108'],
    ['VND', '0.000039960000000001', '0.00004'],
  ]);
});

it.each<[string, unknown, string]>([
  ['no row', null, 'unreadable'],
  ['a number', { bid: 1.1, ask: 1.2 }, 'unreadable'],
  ['half of one', { bid: '1.1' }, 'unreadable'],
  ['an exponent', { bid: '1e3', ask: '1e3' }, 'unreadable'],
  ['less than nothing', { bid: '-1', ask: '1' }, 'unreadable'],
  ['nothing', { bid: '0', ask: '1' }, 'not_positive'],
  ['a bid above the ask', { bid: '1.2', ask: '1.1' }, 'crossed'],
])('drops a row with %s, and reads the others', async (_, row, reason) => {
  told({ GBP: row, EUR: { bid: '1', ask: '1' } });
  const { snapshot, dropped } = await read();
  expect(dropped).toEqual([{ currency: 'GBP', reason }]);
  expect([...snapshot.rates.keys()]).toEqual(['EUR']);
});

it('skips unknown currencies and a row of the base', async () => {
  told({ 'Mr Miller': { bid: '1', ask: '1' }, USD: { bid: '2', ask: '2' }, EUR: { bid: '1', ask: '1' } });
  const { snapshot, dropped } = await read();
  expect([[...snapshot.rates.keys()], dropped]).toEqual([['EUR'], []]);
});

it.each<[Reply]>([
  [json(200, null)],
  [json(200, { base: 'USD', rates: {} })],
  [json(200, { base: 'XXQ', asOf, rates: {} })],
  [json(200, { base: 'USD', asOf: 'noon', rates: {} })],
  [json(200, { base: 'USD', asOf, rates: [] })],
])('throws UnreadableRates on the answer %j', async (reply) => {
  party.script.reply = reply;
  await expect(read()).rejects.toBeInstanceOf(UnreadableRates);
});

it.each<[Reply]>([
  ['break'],
  ['silent'],
  [{ status: 200, body: '<html>' }],
  [json(500, {})],
  [json(404, {})],
])('throws PartyAway on the answer %j', async (reply) => {
  party.script.reply = reply;
  await expect(read({ timeoutMs: 300 })).rejects.toBeInstanceOf(PartyAway);
});
