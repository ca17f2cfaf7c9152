import fc from 'fast-check';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal, sumOf } from '../../../src/kernel/money/money';
import type { CardOrderWord } from '../../../src/parties/external-cards/word';
import type { Client } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { balanceOf, bookedOn, foldOf, freshKey, KINDS, looked, onClock } from './support';

let api: Awaited<ReturnType<typeof onClock>>;
let client: Client;
/** What the acquirer says, by order; whatever it says next is what it says from then on. */
const words = new Map<string, CardOrderWord>();
beforeAll(async () => {
  api = await onClock();
  client = await api.client();
  const answer = (word: CardOrderWord) => ({ word, actionUrl: 'https://bank.example/page' });
  const ask = async (key: string) => {
    const word = words.get(key);
    return word ? answer(word) : 'unknown_to_party';
  };
  const order = async (_: unknown, { key }: { key: string }) => answer(words.get(key) as CardOrderWord);
  api.services.parties.externalCards = { ...api.services.parties.externalCards, order, ask };
});
afterAll(() => api.close());

const amount = (...of: number[]) => fc.constantFrom(...of).map((each) => new Decimal(each));

const word: fc.Arbitrary<CardOrderWord> = fc.record({
  status: fc.constantFrom('requires_action', 'processing', 'succeeded', 'succeeded', 'failed'),
  failureCode: fc.constantFrom(undefined, 'card_declined'),
  moved: amount(0, 0, 100, 100, 100, 60, 150),
  returns: fc.uniqueArray(
    fc.record({ id: fc.constantFrom('r1', 'r2', 'r3'), amount: amount(25, 33.33, 60, 100, 250) }),
    {
      maxLength: 3,
      selector: ({ id }) => id,
    },
  ),
});

const PARTY = { topup: 'deposits:USD', withdrawal: 'payouts:USD' };

it('whatever the acquirer says and in whatever order, the books are what it says, and the fold holds', async () => {
  const accountId = await masterAccount(client);
  await fund(api, accountId, '100000.00');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('topup' as const, 'withdrawal' as const),
      fc.boolean(),
      fc.array(word, { minLength: 1, maxLength: 8 }),
      async (kind, counts, said) => {
        const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
        const path = `/v2/accounts/${accountId}/${KINDS[kind]}`;
        const { id } = (await client.call('POST', `${path}/card`, body, freshKey())).body;
        for (const [turn, each] of said.entries()) {
          words.set(id, counts ? { ...each, version: turn + 1 } : each);
          await Promise.all([looked(api, id), looked(api, id)]);
          // Without a version a word that takes something back counts when it is read again.
          api.clock.pass(60);
          await looked(api, id);
          const owed = each.moved.minus(sumOf(each.returns)).times(kind === 'topup' ? -1 : 1);
          expect((await bookedOn(api, id, PARTY[kind])) - owed.toNumber()).toBeCloseTo(0, 6);
        }
        const settled = await balanceOf(client, accountId);
        await looked(api, id);
        expect(await balanceOf(client, accountId)).toBe(settled);
        const [available, pending] = settled.split(' ');
        expect(await foldOf(api, accountId)).toBe(new Decimal(available ?? 0).plus(pending ?? 0).toFixed(2));
      },
    ),
    { numRuns: 40 },
  );
  expect(await checkLedger(api.database)).toEqual([]);
}, 120_000);
