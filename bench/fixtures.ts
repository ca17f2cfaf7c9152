import pino from 'pino';
import { move } from '../src/accounts/accounts/move';
import { requireMasterAccount } from '../src/accounts/accounts/operations';
import { recordCardEvent } from '../src/cards/events/operations';
import { ensureDemoBins, provideForClient } from '../src/cards/programmes/operations';
import { type Composed, createServices } from '../src/composition';
import { openInstallation } from '../src/installation/session';
import { readConfig } from '../src/kernel/config/config';
import { createDatabase } from '../src/kernel/db/database';
import { newId } from '../src/kernel/ids';
import { openLedgerAccount } from '../src/kernel/ledger/accounts';
import { accountEntry, internalEntry } from '../src/kernel/ledger/entries';
import { Decimal } from '../src/kernel/money/money';
import { createCardholder } from '../src/people/cardholders/operations';
import { createUser } from '../src/people/users/operations';
import { placeOf } from '../src/startup/installation/run';
import { createClient } from '../src/tenants/clients/create';
import { type NewCredential } from '../src/tenants/clients/secrets';
import type { Bench } from './servers';

const BIN = '44112200';

export interface BenchTenant extends NewCredential {
  cards: string[];
}

/** Composes the domains' operations on the bench's database, in this process. */
export async function openServices(bench: Bench): Promise<Composed> {
  const database = createDatabase({ url: bench.ownerUrl, poolSize: 8, name: 'bench' });
  const { ownerUrl: DATABASE_URL, masterKeys: MASTER_KEYS } = bench;
  const { keyring, close } = await openInstallation(await placeOf(readConfig({ DATABASE_URL, MASTER_KEYS })));
  await close();
  const services = createServices({
    database,
    keyring,
    log: pino({ level: 'warn' }, pino.destination(2)),
    mode: 'sandbox',
    // A chain deposit would wait for the screening party, which the bench does not serve.
    partySettings: { screening: 'off' },
    handOver: () => undefined,
  });
  await database.transaction(ensureDemoBins);
  return services;
}

/** Creates cards of many tenants, so that two concurrent requests rarely need the same account. */
export async function spreadTenants(services: Composed): Promise<BenchTenant[]> {
  const tenants: BenchTenant[] = [];
  for (let count = 0; count < 50; count += 1) tenants.push(await tenantWithCards(services, 20));
  return tenants;
}

/** Creates a tenant without a rate limit, and a cardholder of it. Its accounts are empty. */
export async function tenantWithHolder(services: Composed) {
  const { database, keyring } = services;
  const tenant = await database.transaction((tx) =>
    createClient(tx, keyring, { provide: provideForClient, name: 'Bench', role: 'client', sandbox: true }),
  );
  await database.query(
    `update tenants set settings = '{"rateLimit":{"perSecond":100000,"burst":1000000}}' where id = $1`,
    [tenant.clientId],
  );
  const master = await requireMasterAccount(database, tenant.clientId, 'USD');
  const held = await holder(services, tenant.clientId, master.id);
  return { ...tenant, tenantId: tenant.clientId, masterId: master.id, ...held, bin: BIN };
}

/**
 * Creates a tenant whose master account and cards have money for any number of authorizations, and which has no rate
 * limit.
 */
export async function tenantWithCards(services: Composed, cards: number): Promise<BenchTenant> {
  const { database } = services;
  const { masterId, userId, cardholderId, ...tenant } = await tenantWithHolder(services);
  const reference = newId('reference');
  const amount = new Decimal('1000000000');
  await database.transaction((tx) =>
    move(
      tx,
      {
        entries: [
          accountEntry(masterId, 'deposit/admin_deposit', amount, reference),
          internalEntry('funding', 'USD', amount.negated(), reference),
        ],
      },
      {},
    ),
  );
  const ids: string[] = [];
  for (let count = 0; count < cards; count += 1) {
    ids.push(await card(services, { tenantId: tenant.clientId, userId, cardholderId, accountId: masterId }));
  }
  return { ...tenant, cards: ids };
}

function holder(services: Composed, reach: string, accountId: string) {
  return services.database.transaction(async (tx) => {
    const meta = { firstName: 'Bob', lastName: 'Bench', email: `${newId('user')}@example.com` };
    const { id: userId } = await createUser(services, tx, reach, { meta });
    const given = { reach, userId, accountId, bin: BIN, idempotencyKey: undefined };
    const { cardholder } = await createCardholder(tx, services, given);
    return { userId, cardholderId: cardholder.id };
  });
}

async function card(
  services: Composed,
  owner: { tenantId: string; userId: string; cardholderId: string; accountId: string },
): Promise<string> {
  const id = newId('card');
  await services.database.transaction(async (tx) => {
    await tx.query(
      `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, status)
       values ($1, $2, $3, $4, $4, $5, $6, 'visa', 'USD', 'active')`,
      [id, owner.tenantId, owner.userId, owner.accountId, owner.cardholderId, BIN],
    );
    await openLedgerAccount(tx, { id, kind: 'card', tenantId: owner.tenantId, currency: 'USD' });
    await recordCardEvent(tx, services, {
      type: 'topup',
      cardId: id,
      amount: new Decimal('100000'),
      reach: null,
    });
  });
  return id;
}
