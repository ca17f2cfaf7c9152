import { createHttpCheckout } from '../../../src/parties/checkout/http';
import { type Client } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { type TestDesk, testDesk } from '../../support/desk';
import { setAdminLimit, setLimits } from '../../support/operator';
import { openWorld, type World } from '../../transfers/chain-deposits/support';
import { startCheckoutDouble } from '../../transfers/deposits/party-double';
import { type DepositWorld, PATIENCE_MS } from '../../transfers/deposits/support';
import { type Ask, asOperator, key, operators, type Person } from '../support';

/** The product with a chain and a checkout that the test controls. All other parties are the sandbox's. */
export interface EveryWorld {
  chain: World;
  api: World['api'];
  desk: TestDesk;
  /** Two operators who decide everything, and one whom decisions concern. */
  people: { ida: Person; bob: Person; eve: Person };
  ida: Ask;
  bob: Ask;
  /** For the helpers of deposits. */
  deposits: DepositWorld;
  /** A new tenant, which the helpers of deposits use from now on. */
  tenant(): Promise<Client>;
  /** A new tenant's master account with this much money. */
  funded(amount: string, currency?: string): Promise<{ client: Client; accountId: string }>;
  /** The first value of the first row. */
  value(text: string, ...values: unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function everyWorld(): Promise<EveryWorld> {
  const [chain, double] = await Promise.all([openWorld(), startCheckoutDouble()]);
  const { api } = chain;
  const { url: baseUrl, secret } = double;
  const now = () => new Date();
  api.services.parties.checkout = createHttpCheckout({ baseUrl, secret, timeoutMs: PATIENCE_MS, now });
  const deposits: DepositWorld = {
    api,
    double,
    client: chain.client,
    clock: { ahead: 0 },
    patience: () => undefined,
    close: async () => undefined,
  };
  const desk = await testDesk(api.services);
  const [ida, bob, eve] = (await operators(api, 'ida', 'bob', 'eve')) as [Person, Person, Person];
  await chain.read();
  const tenant = async () => (deposits.client = await api.client());
  return {
    chain,
    api,
    desk,
    people: { ida, bob, eve },
    ida: await asOperator(desk.url, ida),
    bob: await asOperator(desk.url, bob),
    deposits,
    tenant,
    async funded(amount, currency = 'USD') {
      const client = await tenant();
      const accountId = await masterAccount(client, currency);
      await fund(api, accountId, amount);
      return { client, accountId };
    },
    async value(text, ...values) {
      const [row = {}] = await api.database.query<Record<string, unknown>>(text, values);
      return Object.values(row)[0] ?? null;
    },
    async close() {
      await desk.close();
      await Promise.all([chain.close(), double.close()]);
    },
  };
}

/** From now on each decision that a limit or dual control may bind takes two operators. */
export async function bindEverything({ database }: World['api']): Promise<void> {
  await setAdminLimit(database, '0.01');
  await setLimits(database, { dualControl: 'on' });
}

/** From now on one operator, or admin, decides. */
export async function bindNothing({ database }: World['api']): Promise<void> {
  await setAdminLimit(database, '1000000000');
  await setLimits(database, { dualControl: 'off' });
}

/** A decision that is about to be made. */
export interface Case {
  /** Absent where there is only one. */
  subject?: string;
  input?: Record<string, unknown>;
  /** Reads where the effect shows. */
  see(): Promise<unknown>;
  /** The value that {@link see} has after the decision, and not before. */
  shown: unknown;
}

export interface Row {
  /** It takes two operators. */
  two?: true;
  make(world: EveryWorld): Promise<Case>;
}

/** By the name of the decision. */
export type Rows = Record<string, Row>;

/** Makes a decision that another one needs first. */
export async function decided(
  { ida }: EveryWorld,
  name: string,
  subject: string | undefined,
  input: object = {},
): Promise<any> {
  const { status, body, text } = await ida(
    'POST',
    `decisions/${name}`,
    { subject, input, reason: 'first' },
    key(),
  );
  if (status !== 200 && status !== 202) throw new Error(`${name}: ${text}`);
  return body;
}
