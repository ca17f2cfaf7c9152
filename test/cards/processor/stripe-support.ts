import { orderCard } from '../../../src/cards/orders/issuance';
import type { StripeProgramme } from '../../../src/kernel/config/stripe';
import { Decimal } from '../../../src/kernel/money/money';
import { createStripeCardProcessor } from '../../../src/parties/card-processor/stripe/processor';
import { lastBalances } from '../../../src/process/reported-balances';
import { moveSettlement } from '../../../src/transfers/settlement/move';
import { readProcessorBalances } from '../../../src/transfers/settlement/processor-balances';
import { createReading } from '../../../src/watch/watch';
import { SECRET, type StripeAccount, stripeAccount } from '../../parties/card-processor/stripe/account';
import type { Json } from '../../parties/card-processor/stripe/http-server';
import { networkOf, type StripeDecides } from '../../parties/card-processor/stripe/network';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardholder, DEMO_BIN, fund, type TestCard } from '../../support/cards';
import { MESSAGES } from './support';

export const PROGRAMMES = {
  [DEMO_BIN]: { currency: 'USD', type: 'virtual', shipping: 'standard', cardholder: 'ich_company' },
} as const;

/** The API with Stripe Issuing as its card processor, in the place of the sandbox's. */
export async function apiWithStripe(
  programmes: Readonly<Record<string, StripeProgramme>> = PROGRAMMES,
  ...wiring: Parameters<typeof testApi>
): Promise<TestApi & { account: StripeAccount }> {
  const account = await stripeAccount();
  const api = await testApi(...wiring);
  api.services.parties.cardProcessor = createStripeCardProcessor({
    secretKey: 'sk_test_123',
    webhookSecrets: ['whsec_other', SECRET],
    programmes,
    server: account.server,
    database: api.services.database,
  });
  const close = async () => {
    await api.close();
    await account.close();
  };
  return { ...api, account, close };
}

type StripeApi = Awaited<ReturnType<typeof apiWithStripe>>;

export interface StripeCard extends TestCard {
  network: ReturnType<typeof networkOf>;
  /** Stripe's id. */
  reference: string;
}

/** An active card that Stripe has issued, with an amount. */
export async function stripeCard(api: StripeApi, client: Client, amount = '100.00'): Promise<StripeCard> {
  const holder = await cardholder(client);
  await fund(api, holder.accountId, '500.00');
  const { userId, accountId, cardholderId } = holder;
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount });
  if (asked.status !== 201) throw new Error(`no card: ${asked.text}`);
  const status = await orderCard(api.services, asked.body.id);
  if (status !== 'active') throw new Error(`the card is ${status}`);
  const reference = [...api.account.cards.keys()].at(-1) ?? '';
  return { id: asked.body.id, ...holder, reference, network: networkOf(api.account, reference) };
}

/** Sends an event as Stripe does. */
export function tellEvent(api: StripeApi, event: Json) {
  const { raw, headers } = api.account.signed(event);
  return api.call('POST', MESSAGES, raw, headers);
}

/** Asks about an amount. @returns our answer's decision */
export async function ask(api: StripeApi, { network }: StripeCard, authorization: Json, amount: number) {
  const answer = await tellEvent(api, network.question(authorization, amount));
  if (answer.status !== 200) throw new Error(`not answered: ${answer.status} ${answer.text}`);
  return answer.body.approved as boolean;
}

/** A whole authorization: the question, Stripe's decision, and the event of it, which the list has too. */
export async function authorized(
  api: StripeApi,
  card: StripeCard,
  amount: number,
  decides?: StripeDecides,
): Promise<Json> {
  const authorization = card.network.opened();
  const approved = await ask(api, card, authorization, amount);
  card.network.decided(authorization, amount, decides ?? { approved });
  return authorization;
}

/** Reads the list of events as the watcher does, until everything was told. */
export async function readList(api: StripeApi): Promise<void> {
  const reading = createReading(api.services, 'cardProcessor');
  for (let turn = 0; turn < 3; turn += 1) await reading.read();
}

/** Books the money that the account at Stripe begins with. */
export async function fundStripe({ database }: StripeApi): Promise<void> {
  const amount = new Decimal(10_000);
  const funding = { party: 'cardProcessor', currency: 'USD', amount, as: 'funding' } as const;
  await database.transaction((tx) => moveSettlement(tx, funding, new Date()));
}

/** The difference of Stripe's balance and our books. */
export async function difference({ services, database }: StripeApi): Promise<string> {
  await readProcessorBalances(services);
  const [usd] = await lastBalances(database);
  return usd ? usd.reported.minus(usd.booked).toFixed(2) : 'none';
}
