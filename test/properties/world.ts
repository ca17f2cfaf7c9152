import { correct } from '../../src/accounts/accounts/admin';
import { openUserAccount } from '../../src/accounts/accounts/operations';
import { insertAccount } from '../../src/accounts/accounts/store';
import type { Card } from '../../src/cards/cards/record';
import { recordCardEvent } from '../../src/cards/events/operations';
import { requestCard } from '../../src/cards/issuance/issue';
import { addBin, admitToBin, type Bin, provideForClient } from '../../src/cards/programmes/operations';
import { acceptTopup } from '../../src/cards/requests/accept';
import { carryOutOperation } from '../../src/cards/requests/carry-out';
import { quoteTopup } from '../../src/cards/requests/quote';
import type { Database, Tx } from '../../src/kernel/db/database';
import { newId } from '../../src/kernel/ids';
import { openLedgerAccount } from '../../src/kernel/ledger/accounts';
import { decimalsOf } from '../../src/kernel/money/currencies';
import { Decimal } from '../../src/kernel/money/money';
import { createCardholder } from '../../src/people/cardholders/operations';
import { createUser } from '../../src/people/users/operations';
import { createClient } from '../../src/tenants/clients/create';
import type { TestApi } from '../support/api';
import { PROCESSOR } from '../support/cards';

const FEES = { issue: '0', topUp: '0', settleFixed: '0', settlePercent: '0', decline: '0' };

function programme(bin: string, currency: string, fees: Partial<typeof FEES>, max: string | null): Bin {
  const decimals = Object.entries({ ...FEES, ...fees }).map(([name, text]) => [name, new Decimal(text)]);
  return {
    bin,
    scheme: 'visa',
    currency,
    model: 'B2B',
    status: 'active',
    capacityPerCardholder: 20,
    fees: Object.fromEntries(decimals) as Bin['fees'],
    markupPercent: new Decimal(max === null ? '2.5' : '0'),
    authorizationDays: 7,
    maxAuthorization: max === null ? null : new Decimal(max),
    maxPerDay: null,
    maxPerMonth: null,
    blockedMccs: [BLOCKED_MCC],
    allowedMccs: [],
    blockedCountries: [],
    challengeEcommerce: false,
    challengeAbove: null,
    homeCountries: [],
    demo: false,
  };
}

export const BLOCKED_MCC = '7995';

/** Programmes with and without fees, markup and limit, in currencies of 2, 0 and 3 decimals. */
export const PROGRAMMES = {
  usd: programme(
    '60000001',
    'USD',
    { issue: '1.00', topUp: '0.25', settleFixed: '0.13', settlePercent: '1.7', decline: '0.20' },
    null,
  ),
  plain: programme('60000002', 'USD', {}, '15.00'),
  jpy: programme('60000003', 'JPY', { settleFixed: '3', settlePercent: '2.9', decline: '7' }, null),
  kwd: programme('60000004', 'KWD', { topUp: '0.005', settlePercent: '0.77', decline: '0.001' }, null),
};

export interface WorldCard {
  id: string;
  name: string;
  tenantId: string;
  userId: string;
  accountId: string;
  cardholderId: string;
  currency: string;
  bin: string;
  /** Whether the issuance is ordered from the processor, because the card was requested by a quote. */
  ordered: boolean;
}

export interface WorldAccount {
  id: string;
  name: string;
  tenantId: string;
  currency: string;
}

export interface World {
  tenants: string[];
  users: { id: string; name: string; tenantId: string }[];
  accounts: WorldAccount[];
  cards: WorldCard[];
}

/** Adds the programmes. Call it once for a database. */
export async function addProgrammes(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    for (const bin of Object.values(PROGRAMMES)) await addBin(tx, bin);
  });
}

/** Converts minor units of a currency to an amount. */
export function amountOf(minor: number, currency: string): Decimal {
  return new Decimal(minor).dividedBy(new Decimal(10).pow(decimalsOf(currency)));
}

/**
 * Creates two tenants with little money. Tenant A has cards on its master account, on a user's account and in yen.
 * Tenant B has a card on its master account and a card in dinars on a user's account. The first cards are the busiest
 * and have a buffer.
 */
export async function createWorld(api: TestApi): Promise<World> {
  const world: World = { tenants: [], users: [], accounts: [], cards: [] };
  const fundings = await api.database.transaction(async (tx) => {
    Object.assign(world, { tenants: [], users: [], accounts: [], cards: [] });
    const a = await createTenant(api, tx, world, 'A', ['USD', 'JPY']);
    const b = await createTenant(api, tx, world, 'B', ['USD', 'KWD']);
    await createCard(api, tx, world, { ...a, master: 'USD', programme: PROGRAMMES.usd });
    await createCard(api, tx, world, { ...a, programme: PROGRAMMES.plain });
    await createCard(api, tx, world, { ...b, master: 'USD', programme: PROGRAMMES.usd });
    await createCard(api, tx, world, { ...a, master: 'JPY', programme: PROGRAMMES.jpy });
    await createCard(api, tx, world, { ...b, programme: PROGRAMMES.kwd });
    const busiest = world.cards.filter(({ name }) => ['A1', 'A2', 'B1'].includes(name));
    const ids = [];
    for (const card of busiest) ids.push(await setAside(api, tx, card));
    return ids;
  });
  for (const id of fundings) await carryOutOperation(api.services, id);
  return world;
}

interface Owner {
  tenantId: string;
  letter: string;
  userId: string;
}

async function createTenant(
  api: TestApi,
  tx: Tx,
  world: World,
  letter: string,
  currencies: string[],
): Promise<Owner> {
  const { clientId: tenantId } = await createClient(tx, api.services.keyring, {
    provide: provideForClient,
    name: letter,
    role: 'client',
    sandbox: true,
  });
  world.tenants.push(tenantId);
  for (const { bin } of Object.values(PROGRAMMES)) await admitToBin(tx, tenantId, bin);
  for (const currency of currencies) {
    const id = await masterAccount(tx, tenantId, currency);
    await keepAccount(tx, world, { id, name: `${letter}'s ${currency} master`, tenantId, currency }, 4_000);
  }
  const meta = { firstName: 'Ada', lastName: 'Byron', email: `${newId('user')}@example.com` };
  const user = await createUser(api.services, tx, tenantId, { meta });
  world.users.push({ id: user.id, name: `${letter}'s user`, tenantId });
  for (const currency of currencies) {
    const { account } = await openUserAccount(tx, tenantId, user.id, currency);
    await keepAccount(
      tx,
      world,
      { id: account.id, name: `${letter}'s user's ${currency}`, tenantId, currency },
      3_000,
    );
  }
  return { tenantId, letter, userId: user.id };
}

/** Finds the tenant's master account, or opens it. A new tenant has master accounts in USD, EUR and GBP. */
async function masterAccount(tx: Tx, tenantId: string, currency: string): Promise<string> {
  const id = newId('account');
  if (await insertAccount(tx, { id, tenantId, userId: null, currency })) {
    await openLedgerAccount(tx, { id, kind: 'master', tenantId, currency });
    return id;
  }
  const [found] = await tx.query<{ id: string }>(
    `select id from accounts where tenant_id = $1 and currency = $2 and owner_type = 'client'`,
    [tenantId, currency],
  );
  return found?.id ?? '';
}

async function keepAccount(tx: Tx, world: World, account: WorldAccount, minor: number): Promise<void> {
  world.accounts.push(account);
  const amount = amountOf(minor, account.currency);
  await correct(tx, null, 'deposit/admin_deposit', { accountId: account.id, amount }, undefined);
}

async function createCard(
  api: TestApi,
  tx: Tx,
  world: World,
  given: Owner & { master?: string; programme: Bin },
): Promise<void> {
  const { tenantId, letter, userId, programme: bin } = given;
  const owner = given.master === undefined ? `${letter}'s user's ` : `${letter}'s `;
  const account = world.accounts.find(
    ({ name }) =>
      name.startsWith(owner) && name.includes(bin.currency) && name.includes('master') === !!given.master,
  );
  const accountId = account?.id ?? '';
  const of = { reach: null, userId, accountId, bin: bin.bin, idempotencyKey: undefined };
  const { cardholder } = await createCardholder(tx, api.services, of);
  const amount = amountOf(1_500, bin.currency);
  const request = { userId, accountId, cardholderId: cardholder.id, amount };
  const card = await requestCard(api.services, tx, request, {
    caller: { reach: tenantId },
    idempotencyKey: undefined,
  });
  await recordCardEvent(tx, api.services, {
    type: 'issue',
    cardId: card.id,
    reach: null,
    processor: PROCESSOR,
  });
  keepCard(world, card, letter);
}

/** Requests a funding that sets money aside. @returns the id of its operation */
async function setAside({ services }: TestApi, tx: Tx, card: WorldCard): Promise<string> {
  const { id: cardId, tenantId, accountId, currency } = card;
  const asked = { accountId, amount: amountOf(600, currency), allocation: new Decimal('0.5') };
  const { quote } = await quoteTopup(services, tx, cardId, asked, tenantId);
  const call = { reach: tenantId, callerId: tenantId, idempotencyKey: `${cardId}-first` };
  return (await acceptTopup(services, tx, { cardId, quoteId: quote.id }, call)).id;
}

/** Adds the card to the world, named by its tenant and its number: A1, A2, B1. */
export function keepCard(world: World, card: Card, letter: string, ordered = false): WorldCard {
  const { id, tenantId, userId, accountId, cardholderId, currency, bin } = card;
  const name = `${letter}${world.cards.filter((each) => each.tenantId === tenantId).length + 1}`;
  const kept = { id, name, tenantId, userId, accountId, cardholderId, currency, bin, ordered };
  world.cards.push(kept);
  return kept;
}
