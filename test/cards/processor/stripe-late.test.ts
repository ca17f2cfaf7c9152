import { settleUnanswered } from '../../../src/cards/processor/unanswered';
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { Client } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { until } from '../../support/until';
import { comeBack, fate, fated, within } from './failing-database';
import {
  apiWithStripe,
  PROGRAMMES,
  readList,
  type StripeCard,
  stripeCard,
  tellEvent,
} from './stripe-support';

/** A question of Stripe that is not judged in time, because the database is lost in the commit. */

let api: Awaited<ReturnType<typeof apiWithStripe>>;
let client: Client;
let card: StripeCard;
beforeAll(async () => {
  api = await apiWithStripe(PROGRAMMES, { answerWithin: within }, fated);
  client = await api.client();
});
beforeEach(async () => {
  comeBack();
  card = await stripeCard(api, client);
});
afterEach(async () => {
  comeBack();
  expect(await checkLedger(api.database)).toEqual([]);
});
afterAll(() => api.close());

const balance = () => cardBalance(client, card.id);

/** Asks, and loses the database until the decline is stored. @returns the authorization, and the step of its workflow */
async function askedInVain() {
  const authorization = card.network.opened();
  fate.unheard = true;
  const answer = await tellEvent(api, card.network.question(authorization, 4_000));
  expect([answer.status, answer.body]).toEqual([
    200,
    { approved: false, metadata: { reference: expect.any(String), declineReason: 'processing_error' } },
  ]);
  expect(answer.headers.get('stripe-version')).not.toBeNull();
  comeBack();
  const find = () =>
    api.database.query<{ id: string }>('select id from processor_messages where message_id = $1', [
      `${authorization['id']}:0`,
    ]);
  await until(async () => (await find()).length > 0);
  const [stored] = await find();
  return { authorization, settle: () => settleUnanswered(api.services, stored?.id ?? '') };
}

it('is declined in the form that Stripe reads, and holds nothing in the end', async () => {
  const { authorization, settle } = await askedInVain();
  card.network.decided(authorization, 4_000, { approved: false });
  await readList(api);
  await settle();
  expect(await balance()).toBe('100.00 0.00 0.00');
});

it.each(['before', 'after'])('is held once when Stripe approves it %s our release', async (when) => {
  const { authorization, settle } = await askedInVain();
  if (when === 'after') await settle();
  card.network.decided(authorization, 4_000, { approved: true, reason: 'webhook_timeout' });
  await readList(api);
  if (when === 'before') await settle();
  expect(await balance()).toBe('60.00 40.00 0.00');
});
