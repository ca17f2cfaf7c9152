import fc from 'fast-check';
import { agrees, type Balances, cardwright, fold, reconcile, sum } from '../../client/src';
import { ACCOUNT_EFFECTS, CARD_EFFECTS } from '../../client/src/generated/effects';
import { Decimal } from '../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, masterAccount, type TestCard } from '../support/cards';

let api: TestApi;
let client: Client;
let card: TestCard;
let events: { event: string; data: Record<string, any> }[];

/** Plays a card's life, with two transfers of its tenant, and takes the recorded events as a receiver has them. */
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  card = await activeCard(api, client, '100.00');
  await fund(api, card.accountId, '50.00');
  const kit = cardwright({ baseUrl: api.url, ...client });
  const simulate = (type: 'authorization' | 'settle' | 'refund' | 'decline', more: object) =>
    kit.createSandboxTransaction({ body: { cardId: card.id, type, ...more } });
  const { referenceId } = await simulate('authorization', { amount: '40.00' });
  await simulate('settle', { amount: '15.00', referenceId });
  await simulate('settle', { amount: '10.00', referenceId, final: true });
  await simulate('refund', { amount: '5.00', referenceId });
  await simulate('authorization', { amount: '9999.00' });
  const path = { id: card.id };
  await kit.topUpCard({ path, body: { amount: '1.00' } });
  await kit.withdrawFromCard({ path, body: { amount: '7.00' } });
  const toAccountId = (await kit.openUserAccount({ path: { id: card.userId }, body: { currency: 'USD' } }))
    .id;
  await kit.createTransfer({ body: { fromAccountId: card.accountId, toAccountId, amount: '2.00' } });
  await kit.closeCard({ path });
  const rows = await api.database.query<{ event: string; data: string }>(
    'select event, whole_text(data) as data from events where tenant_id = $1 order by number',
    [client.clientId],
  );
  events = rows.map(({ event, data }) => ({ event, data: JSON.parse(data) as Record<string, any> }));
  expect(events.length).toBeGreaterThan(12);
});
afterAll(() => api.close());

const balance = async (path: string): Promise<Balances> => {
  const { body } = await client.call('GET', path);
  return body.balance ?? body;
};
const without = (isLeft: (data: Record<string, any>) => boolean) =>
  events.filter(({ data }) => !isLeft(data));

it('folds events in any order, also repeated ones, into the balances of the API', async () => {
  const [ofCard, ofAccount] = [
    await balance(`/v1/cards/${card.id}`),
    await balance(`/v2/accounts/${await masterAccount(client)}/balance`),
  ];
  for (const told of [events, [...events].reverse(), [...events, ...events]]) {
    const folded = fold(told);
    expect(folded.get(card.id)).toEqual(ofCard);
    expect(agrees(folded.get(card.id), ofCard)).toBe(true);
    expect(agrees(folded.get(card.accountId), ofAccount)).toBe(true);
    expect(reconcile(told)).toEqual([]);
  }
  const later = fold([], { [card.accountId]: { available: '1.00' } });
  expect(later.get(card.accountId)).toEqual({ available: '1.00', pending: '0', spent: '0' });
});

it('notices a missing event by the balance', async () => {
  const reported = await balance(`/v1/cards/${card.id}`);
  const folded = fold(without(({ cardId, type }) => cardId && type === 'refund'));
  expect(agrees(folded.get(card.id), reported)).toBe(false);
  expect(agrees(undefined, reported)).toBe(false);
});

it.each([
  ['the account', ({ subtype }: Record<string, any>) => subtype === 'card_deposit'],
  ['the card', ({ cardId, type }: Record<string, any>) => cardId && type === 'issue'],
  ['a closed card', ({ subtype }: Record<string, any>) => subtype === 'card_closed_refund'],
  ['a transfer', ({ subtype }: Record<string, any>) => subtype === 'account_in'],
])('finds the missing leg of %s', (_, isLeft) => {
  const left = events.filter(({ data }) => isLeft(data));
  expect(left.length).toBeGreaterThan(0);
  const found = reconcile(without(isLeft)).filter(({ kind }) => kind === 'missing_leg');
  expect(found.map(({ referenceId }) => referenceId).sort()).toEqual(
    left.map(({ data }) => data['referenceId']).sort(),
  );
});

it('finds the missing event that another one follows', () => {
  const found = reconcile(without(({ cardId, type }) => cardId && type === 'authorization'));
  expect(found.map(({ kind }) => kind)).toContain('missing_origin');
});

it('finds an event that differs from the table of effects', () => {
  const changed = events.map(({ event, data }) =>
    data['type'] === 'refund' ? { event, data: { ...data, effect: { available: '5.01' } } } : { event, data },
  );
  expect(reconcile(changed)).toEqual([
    expect.objectContaining({ kind: 'wrong_effect', message: expect.stringContaining(card.id) }),
  ]);
});

it('folds every movement of the tables, by its own effect where it is newer than the tables', () => {
  const told = (event: string, type: string, subtype: string | undefined, more: object = {}) => ({
    event,
    data: {
      id: `${event}${type}${subtype}`,
      cardId: 'own',
      accountId: 'own',
      type,
      subtype,
      amount: '10.00',
      ...more,
    },
  });
  for (const [type, { available }] of Object.entries(CARD_EFFECTS))
    expect(fold([told('card_transaction', type, undefined)]).get('own')?.available).toBe(
      sum('0', text(available)),
    );
  for (const [name, { available }] of Object.entries(ACCOUNT_EFFECTS)) {
    const [type = '', subtype] = name.split('/');
    expect(fold([told('account_transaction', type, subtype)]).get('own')?.available).toBe(
      sum('0', text(available)),
    );
  }
  const newer = told('account_transaction', 'fee', 'moon_fee', { effect: { available: '-10.00' } });
  expect(fold([newer]).get('own')).toEqual({ available: '-10.00', pending: '0', spent: '0' });
  expect(() => fold([told('account_transaction', 'fee', 'moon_fee')])).toThrow('No effect is known');
});

const text = (factor: number) => (factor === 0 ? '0' : factor === 1 ? '10.00' : '-10.00');

it('adds decimal strings exactly', () => {
  const amount = fc
    .tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.integer({ min: 0, max: 18 }))
    .map(([units, decimals]) =>
      new Decimal(units.toString()).dividedBy(new Decimal(10).pow(decimals)).toFixed(),
    );
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 8 }), (amounts) => {
      const exact = amounts.reduce((total, each) => total.plus(each), new Decimal(0));
      expect(new Decimal(sum(...amounts)).eq(exact)).toBe(true);
    }),
  );
  expect([sum(), sum('1.5', '-1.50'), sum('-0.25', '0.2')]).toEqual(['0', '0.00', '-0.05']);
  expect(() => sum('1e3')).toThrow('1e3 is not a decimal amount.');
});
