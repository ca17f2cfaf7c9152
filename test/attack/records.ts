import { orderCard } from '../../src/cards/orders/issuance';
import { addBin, admitToBin } from '../../src/cards/programmes/operations';
import { findNetwork } from '../../src/chain/networks/operations';
import { Decimal, ZERO } from '../../src/kernel/money/money';
import { B2C_USD, decide, identity, steps } from '../people/cardholders/support';
import type { Answer, Client, TestApi } from '../support/api';
import { fund, masterAccount, simulate } from '../support/cards';
import { withLocalNetwork } from '../support/networks';
import { jpeg, upload, uploadAll, uploadDocument } from '../support/uploads';
import { destinationOf } from '../transfers/exchange/withdrawals/support';
import { credited, DESTINATION, enabled } from '../transfers/iban/support';

/** Every kind of a tenant's record that a request can name. */
export const KINDS = [
  'company',
  'user',
  'documentedUser',
  'userInReview',
  'externalId',
  'account',
  'masterAccount',
  'accountTransaction',
  'bin',
  'cardholder',
  'pendingCardholder',
  'failedCardholder',
  'document',
  'file',
  'card',
  'cardTransaction',
  'reference',
  'tokenization',
  'cardIssueQuote',
  'cardTopupQuote',
  'cardOperation',
  'topup',
  'withdrawal',
  'depositQuote',
  'deposit',
  'euroAccount',
  'exchangeQuote',
  'exchangeOrder',
  'payoutQuote',
  'payout',
  'virtualIban',
  'iban',
  'ibanQuote',
  'ibanPayout',
  'destination',
  'exchangeWithdrawal',
  'network',
  'wallet',
  'event',
] as const;
export type Kind = (typeof KINDS)[number];

/** The records of one tenant. Each is created when it is first needed, after the records that it belongs to. */
export interface Records {
  client: Client;
  /** A word that is in every free text of the tenant. */
  mark: string;
  id(kind: Kind): Promise<string>;
  /** Returns the ids so far, and those of the records that they belong to. */
  made(): Promise<string[]>;
}

interface World extends Omit<Records, 'made'> {
  api: TestApi;
  /** The tenant's own name for those records that take one. Each kind has one. */
  externalId: string;
}

type Maker = (world: World) => Promise<string>;

/** @param mark only letters, because it is part of people's names */
export function recordsOf(api: TestApi, client: Client, mark: string): Records {
  const ids = new Map<Kind, Promise<string>>();
  const id = (kind: Kind): Promise<string> => {
    const known = ids.get(kind) ?? MAKERS[kind](world);
    ids.set(kind, known);
    return known;
  };
  const world: World = { api, client, mark, id, externalId: numbered(mark) };
  // A network belongs to no tenant.
  const made = () => Promise.all([...ids].flatMap(([kind, each]) => (kind === 'network' ? [] : [each])));
  return { client, mark, id, made };
}

/** Counter for unique texts and programmes. */
let count = 0;
const next = () => (count += 1);
const numbered = (mark: string) => `${mark}-${next()}`;

/** @throws Error with the answer when it is a refusal */
function idIn({ status, body, text }: Answer, field = 'id'): string {
  if (status >= 300 || typeof body[field] !== 'string') throw new Error(`nothing was made: ${text}`);
  return body[field];
}

const keyed = (client: Client, path: string, body: object) =>
  client.call('POST', path, body, { 'x-idempotency-key': `records-${next()}` });

/** Creates a user with all data of a cardholder. */
async function userOf(world: World, change: Record<string, unknown> = {}, externalId?: string) {
  const { api, client, mark } = world;
  const email = `${mark}.${next()}@quern.example`;
  const meta = identity(api, { lastName: mark, address: `17 ${mark} Street`, email, ...change });
  return idIn(await client.call('POST', '/v1/users', { externalId, meta }));
}

/** Creates a cardholder on a B2C programme, who waits for the operator. */
async function pendingCardholder(world: World, change: Record<string, unknown> = {}): Promise<string> {
  const { api, client, id } = world;
  const userId = await userOf(world, change);
  await uploadAll(client, userId);
  await api.database.query(`update users set kyc_status = 'completed' where id = $1`, [userId]);
  const body = { accountId: await id('masterAccount'), bin: B2C_USD };
  return idIn(await client.call('POST', `/v1/users/${userId}/cardholder`, body));
}

async function externalCardTransaction({ client, mark, id }: World, way: 'topup' | 'withdraw') {
  const body = { amount: '20.00', paymentMethodToken: 'tok_visa', returnUrl: `https://${mark}.example/` };
  return idIn(await keyed(client, `/v2/accounts/${await id('account')}/${way}/card`, body));
}

async function quoteOf({ client, id }: World, what: 'deposit' | 'payout', method: string): Promise<string> {
  const path = `/v2/accounts/${await id('account')}/${what}-quote`;
  return idIn(await client.call('POST', path, { method, amount: '20.00' }), 'quoteId');
}

/** Returns the quote of an issuance or of a top-up of the card. */
async function cardQuote({ client, id }: World, what: 'issue' | 'topup'): Promise<string> {
  const asked = { accountId: await id('account'), amount: '20.00', allocation: '0.25' };
  if (what === 'topup') {
    const path = `/v2/cards/${await id('card')}/topup/quote`;
    return idIn(await client.call('POST', path, asked), 'quoteId');
  }
  const holder = { userId: await id('user'), cardholderId: await id('cardholder'), bin: await id('bin') };
  return idIn(await client.call('POST', '/v2/cards/issue/quote', { ...holder, ...asked }), 'quoteId');
}

async function ibanQuote({ client, mark, id }: World): Promise<string> {
  const path = `/v1/corporate-banking/${await id('company')}/quote`;
  const body = { amount: '20.00', destination: { ...DESTINATION, name: mark } };
  return idIn(await client.call('POST', path, body), 'quoteId');
}

const programme = (bin: string) => ({
  bin,
  scheme: 'visa',
  currency: 'USD',
  model: 'B2B' as const,
  status: 'active' as const,
  demo: false,
  capacityPerCardholder: 100,
  markupPercent: ZERO,
  authorizationDays: 7,
  blockedMccs: [],
  maxAuthorization: null,
  maxPerDay: null,
  maxPerMonth: null,
  allowedMccs: [],
  blockedCountries: [],
  challengeEcommerce: false,
  challengeAbove: null,
  homeCountries: [],
  fees: {
    issue: new Decimal('1.00'),
    topUp: ZERO,
    settleFixed: ZERO,
    settlePercent: ZERO,
    decline: ZERO,
  },
});

/** Returns a test's network, or one with unreachable nodes. */
async function networkOf(api: TestApi): Promise<string> {
  const found = await findNetwork(api.database, 'local');
  if (!found) await withLocalNetwork(api, AWAY);
  return 'local';
}

const AWAY = {
  chainId: 31_337,
  url: 'http://127.0.0.1:9',
  token: async () => '0x5FbDB2315678afecb367f032d93F642f64180aa3' as const,
};

const MAKERS: Record<Kind, Maker> = {
  company: async ({ client, id }) => {
    await id('virtualIban');
    return client.clientId;
  },
  user: (world) => userOf(world, {}, world.externalId),
  documentedUser: async (world) => {
    const userId = await userOf(world);
    await uploadAll(world.client, userId);
    return userId;
  },
  userInReview: async ({ client, id }) => {
    const path = `/v1/users/${await id('documentedUser')}/kyc/submit`;
    return idIn(await client.call('POST', path), 'userId');
  },
  externalId: async ({ externalId, id }) => {
    for (const kind of ['user', 'deposit', 'payout', 'ibanPayout'] as const) await id(kind);
    return externalId;
  },
  /** The user's account, with money. */
  account: async ({ api, client, id }) => {
    const opened = await client.call('POST', `/v1/users/${await id('user')}/accounts`, { currency: 'USD' });
    await fund(api, idIn(opened), '500.00');
    return idIn(opened);
  },
  masterAccount: async ({ api, client }) => {
    const accountId = await masterAccount(client);
    await fund(api, accountId, '500.00');
    return accountId;
  },
  accountTransaction: async ({ client, id }) => {
    const { body, ...answer } = await client.call(
      'GET',
      `/v1/accounts/${await id('account')}/transactions?limit=1`,
    );
    return idIn({ ...answer, body: body.data[0] });
  },
  /** An event of the account, of a type with a webhook URL. */
  event: async ({ client, id }) => {
    await client.call('POST', '/v1/webhooks', { url: 'https://127.0.0.1:9/', type: 'account' });
    await id('account');
    const { body, ...answer } = await client.call('GET', '/v1/events?type=account&limit=1');
    return idIn({ ...answer, body: body.data[0] });
  },
  /** A programme on which no other tenant may issue. */
  bin: async ({ api, client }) => {
    const bin = String(70_000_000 + next());
    await api.database.transaction(async (tx) => {
      await addBin(tx, programme(bin));
      await admitToBin(tx, client.clientId, bin);
    });
    return bin;
  },
  cardholder: async ({ client, id }) => {
    const body = { accountId: await id('account'), bin: await id('bin') };
    return idIn(await client.call('POST', `/v1/users/${await id('user')}/cardholder`, body));
  },
  pendingCardholder: (world) => pendingCardholder(world),
  failedCardholder: async (world) => {
    const cardholderId = await pendingCardholder(world, { accountPurpose: 'sandbox:refuse' });
    await decide(world.api, cardholderId, 'approved');
    await steps(world.api.services).submit(cardholderId);
    return cardholderId;
  },
  document: async ({ client, mark, id }) =>
    idIn(await uploadDocument(client, await id('user'), 'idFrontImg', jpeg(mark))),
  file: async ({ client, mark }) =>
    idIn(await upload(client, '/v1/cardholders/files', [['file', { bytes: jpeg(mark) }]]), 'fileId'),
  card: async ({ api, client, mark, id }) => {
    const owners = { userId: await id('user'), accountId: await id('account') };
    const body = { ...owners, cardholderId: await id('cardholder'), label: mark, amount: '100.00' };
    const cardId = idIn(await client.call('POST', '/v1/cards', body));
    const progress = await orderCard(api.services, cardId);
    if (progress !== 'active') throw new Error(`the card is ${progress}`);
    return cardId;
  },
  /** An authorization of 40.00, with 15.00 settled. */
  cardTransaction: async ({ client, mark, id }) => {
    const cardId = await id('card');
    const merchant = { name: mark };
    const made = await simulate(client, { cardId, type: 'authorization', amount: '40.00', merchant });
    const { referenceId } = made.body;
    idIn(await simulate(client, { cardId, type: 'settle', amount: '15.00', referenceId }));
    return idIn(made);
  },
  reference: async ({ client, id }) =>
    idIn(await client.call('GET', `/v1/cards/transactions/${await id('cardTransaction')}`), 'referenceId'),
  tokenization: async ({ client, id }) =>
    idIn(await client.call('POST', `/v1/cards/${await id('card')}/tokenize`, { wallet: 'apple_pay' })),
  cardIssueQuote: (world) => cardQuote(world, 'issue'),
  cardTopupQuote: (world) => cardQuote(world, 'topup'),
  cardOperation: async (world) => {
    const path = `/v2/cards/${await world.id('card')}/topup`;
    return idIn(await keyed(world.client, path, { quoteId: await cardQuote(world, 'topup') }), 'operationId');
  },
  topup: (world) => externalCardTransaction(world, 'topup'),
  withdrawal: (world) => externalCardTransaction(world, 'withdraw'),
  depositQuote: (world) => quoteOf(world, 'deposit', 'card'),
  deposit: async (world) => {
    const { client, mark, id, externalId } = world;
    const quoteId = await quoteOf(world, 'deposit', 'card');
    const body = { quoteId, returnUrl: `https://${mark}.example/`, externalId };
    return idIn(await keyed(client, `/v2/accounts/${await id('account')}/deposits`, body));
  },
  /** The tenant's account, with money. */
  euroAccount: async ({ api, client }) => {
    const accountId = await masterAccount(client, 'EUR');
    await fund(api, accountId, '500.00');
    return accountId;
  },
  exchangeQuote: async ({ client, id }) => {
    const path = `/v2/accounts/${await id('account')}/exchange-quote`;
    return idIn(
      await client.call('POST', path, { toAccountId: await id('euroAccount'), amount: '20.00' }),
      'quoteId',
    );
  },
  exchangeOrder: async ({ client, id }) => {
    const [fromAccountId, toAccountId] = [await id('account'), await id('euroAccount')];
    const body = { fromAccountId, toAccountId, amount: '10.00' };
    return idIn(await keyed(client, '/v1/exchange/orders', body));
  },
  payoutQuote: (world) => quoteOf(world, 'payout', 'sepa'),
  payout: async (world) => {
    const { client, mark, id, externalId } = world;
    const quoteId = await quoteOf(world, 'payout', 'sepa');
    const body = { quoteId, destination: { ...DESTINATION, name: mark }, externalId };
    return idIn(await keyed(client, `/v2/accounts/${await id('account')}/payouts`, body));
  },
  virtualIban: async ({ api, client }) => {
    const { id } = await enabled(api, client);
    await credited(api, id, '500.00');
    return id;
  },
  iban: async ({ client, id }) => {
    await id('virtualIban');
    return idIn(await client.call('GET', `/v1/corporate-banking/${client.clientId}/account`), 'iban');
  },
  ibanQuote: (world) => ibanQuote(world),
  ibanPayout: async (world) => {
    const path = `/v1/corporate-banking/${await world.id('company')}/payouts`;
    const body = { quoteId: await ibanQuote(world), externalId: world.externalId };
    return idIn(await keyed(world.client, path, body));
  },
  destination: ({ api, client, mark }) =>
    destinationOf(api, client, { bank: { name: mark, accountNumber: `1000${next()}`, bic: 'COBADEFF' } }),
  exchangeWithdrawal: async ({ client, id }) => {
    const named = { accountId: await id('euroAccount'), destinationId: await id('destination') };
    return idIn(await keyed(client, '/v1/exchange/withdrawals', { ...named, amount: '20.00' }));
  },
  network: ({ api }) => networkOf(api),
  wallet: async ({ client, id }) => {
    const asked = { chain: await id('network'), asset: 'USDT', accountId: await id('account') };
    const body = { ...asked, reference: `records-${next()}` };
    return idIn(await client.call('POST', '/v1/wallets/allocate', body), 'address');
  },
};
