import fc from 'fast-check';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import type { CardOrderState } from '../../../src/parties/external-cards/port';
import { advanceTransfer } from '../../../src/transfers/external-cards/advance';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { balanceOf, foldOf, freshKey, KINDS } from './support';

let api: TestApi;
let client: Client;
/** What the acquirer says, by order; whatever it says next is what it says from then on. */
const words = new Map<string, CardOrderState>();
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  const say = async (key: string) => words.get(key) ?? 'unknown_to_party';
  const order = async ({ key }: { key: string }) => words.get(key) as CardOrderState;
  const { externalCards } = api.services.parties;
  api.services.parties.externalCards = { ...externalCards, charge: order, push: order, get: say };
});
afterAll(() => api.close());

const state = fc
  .record({
    status: fc.constantFrom('requires_action', 'processing', 'succeeded', 'failed'),
    returned: fc.constantFrom('0', '0', '0', '25', '60', '100', '250'),
  })
  .map(
    ({ status, returned }): CardOrderState => ({
      status: status,
      returned: new Decimal(returned),
      ...(status === 'requires_action' ? { actionUrl: 'https://bank.example/page' } : {}),
    }),
  );

it('whatever the acquirer says and however often, money is neither made nor lost, and the fold holds', async () => {
  const accountId = await masterAccount(client);
  await fund(api, accountId, '100000.00');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('topup' as const, 'withdrawal' as const),
      fc.array(state, { minLength: 1, maxLength: 8 }),
      async (kind, states) => {
        const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
        const path = `/v2/accounts/${accountId}/${KINDS[kind]}`;
        const { id } = (await client.call('POST', `${path}/card`, body, freshKey())).body;
        for (const said of states) {
          words.set(id, said);
          await Promise.all([advanceTransfer(api.services, id), advanceTransfer(api.services, id)]);
        }
        const settled = await balanceOf(client, accountId);
        await advanceTransfer(api.services, id);
        expect(await balanceOf(client, accountId)).toBe(settled);
        const [available, pending] = settled.split(' ');
        expect(await foldOf(api, accountId)).toBe(new Decimal(available ?? 0).plus(pending ?? 0).toFixed(2));
      },
    ),
    { numRuns: 60 },
  );
  expect(await checkLedger(api.database)).toEqual([]);
}, 120_000);
