/** @long plays random days of a card network. */
import { balancesOf, shown } from '../../../scripts/processor/books';
import { playNetwork } from '../../../scripts/processor/network';
import { expireAuthorizations } from '../../../src/cards/events/expiry';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { CARD_EFFECTS } from '../../../src/kernel/ledger/effects';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { type NetworkCard, networkCard } from './support';

/**
 * Properties of decisions part 5 (1, 4 and 6) for any messages of a network in any order. FC_SEED plays other
 * transactions.
 */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);

let api: TestApi;
let client: Client;
let cards: NetworkCard[];
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  cards = [];
  for (const funded of ['2000.00', '2000.00', '40.00']) cards.push(await networkCard(api, client, funded));
});
afterAll(() => api.close());

/** The client's events of a card, folded by the table of `interface.md 3.4`. */
async function folded(cardId: string): Promise<string> {
  const events = await api.database.query<{
    data: { type: keyof typeof CARD_EFFECTS; billingAmount: string };
  }>(
    `select data::jsonb as data from events
      where event = 'card_transaction' and data::jsonb ->> 'cardId' = $1`,
    [cardId],
  );
  const total = { available: ZERO, pending: ZERO, spent: ZERO };
  for (const { data } of events) {
    const amount = new Decimal(data.billingAmount);
    const effect = CARD_EFFECTS[data.type];
    for (const name of ['available', 'pending', 'spent'] as const)
      total[name] = total[name].plus(amount.times(effect[name]));
  }
  return [total.available, total.pending, total.spent].map((part) => part.toFixed(2)).join(' ');
}

it(`the books of the network and of the cards agree (seed ${SEED})`, async () => {
  const played = await playNetwork({
    url: api.url,
    secret: partySecret(api.services.keyring, 'card-processor'),
    seed: SEED,
    cards: cards.map(({ reference }) => reference),
    rate: 150,
    seconds: 4,
  });
  expect(played.wrong).toEqual([]);
  expect(played.messages).toBeGreaterThan(100);
  for (const [index, { id, reference }] of cards.entries()) {
    const funded = index === 2 ? 4_000 : 200_000;
    const expected = shown(balancesOf(funded, played.transactions.get(reference) ?? []));
    expect(await cardBalance(client, id)).toBe(expected);
    expect(await folded(id)).toBe(expected);
  }
  expect(await checkLedger(api.database)).toEqual([]);
  const counted = await api.database.query(
    `select 1 from authorizations where settled + reversed > authorized or fee_held < 0 or refunded > settled`,
  );
  expect(counted).toEqual([]);

  await api.database.query(
    `update authorizations set expires_at = now() - interval '1 hour' where not closed`,
  );
  await expireAuthorizations(api.services, 10_000);
  for (const { id } of cards) {
    const [, pending] = (await cardBalance(client, id)).split(' ');
    expect(pending).toBe('0.00');
    expect(await folded(id)).toBe(await cardBalance(client, id));
  }
}, 120_000);
