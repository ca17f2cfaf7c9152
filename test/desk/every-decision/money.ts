import { randomUUID } from 'node:crypto';
import { Decimal } from '../../../src/kernel/money/money';
import { endToEndIdOf } from '../../../src/parties/iso20022/names';
import type { BankFilesServices } from '../../../src/parties/iso20022/services';
import { createFilePayouts } from '../../../src/parties/payouts/iso20022/payouts';
import { openBreak } from '../../../src/process/breaks/operations';
import { refundDeposit } from '../../../src/transfers/deposits/decide';
import { accountBalance } from '../../cards/cards/support';
import type { Client } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { completed, internal, look, pay, payable } from '../../transfers/deposits/support';
import { ordered, read as readOrder } from '../../transfers/exchange/support';
import {
  BANK,
  destinationOf,
  look as lookAtWithdrawal,
  withdrawn,
} from '../../transfers/exchange/withdrawals/support';
import { credited, enabled, paidOut } from '../../transfers/iban/support';
import { created, look as lookAtPayout } from '../../transfers/payouts/support';
import type { Case, EveryWorld, Rows } from './world';

const ABOVE_THRESHOLD = '15000.00';

/** A deposit that was paid by another amount and waits for an operator. */
async function reviewed(world: EveryWorld) {
  await world.tenant();
  const deposit = await payable(world.deposits);
  deposit.session.risk = 'review';
  pay(deposit.session, { amount: '80.00' }, true);
  await look(world.deposits, deposit.id);
  return deposit;
}

/** A completed deposit. */
async function paid(world: EveryWorld) {
  const client = await world.tenant();
  return { ...(await completed(world.deposits)), client };
}

/** A completed deposit with 50.00 more in suspense. */
async function surplus(world: EveryWorld) {
  const deposit = await paid(world);
  pay(deposit.session, { amount: '150.00' }, true);
  await look(world.deposits, deposit.id);
  return deposit;
}

/** A deposit that was refunded and disputed: suspense is short of 100.00, which the account has. */
async function short(world: EveryWorld) {
  const { database, services } = world.api;
  const deposit = await paid(world);
  const refund = { depositId: deposit.id, amount: new Decimal('100.00'), requestedBy: 'operator:ada' };
  world.deposits.double.refundsBegin = 'pending';
  await database.transaction((tx) => refundDeposit(services, tx, refund));
  await look(world.deposits, deposit.id);
  deposit.session.disputes.push({ id: `dp_${deposit.id}`, amount: '100.00', status: 'open' });
  await look(world.deposits, deposit.id);
  for (const each of deposit.session.refunds) each.status = 'succeeded';
  await look(world.deposits, deposit.id);
  world.deposits.double.refundsBegin = 'succeeded';
  await fund(world.api, deposit.accountId, '100.00');
  return deposit;
}

/** A deposit whose party was restored from a copy, and has refunded 40.00 since. */
async function restored(world: EveryWorld) {
  const deposit = await paid(world);
  for (const version of [5, 3]) {
    deposit.session.version = version;
    if (version === 3)
      deposit.session.refunds.push({ id: `re_${deposit.id}`, amount: '40.00', status: 'succeeded' });
    await look(world.deposits, deposit.id);
  }
  return deposit;
}

/** The amounts that the party was told to return, after the next step of the workflow. */
const returnedOf =
  (world: EveryWorld, { id, session }: Awaited<ReturnType<typeof paid>>) =>
  async () => {
    await look(world.deposits, id);
    return session.refunds.map(({ amount }) => amount);
  };

const leftOf = (world: EveryWorld, id: string) => async () =>
  Number(await world.value('select coalesce(sum(amount), 0) from suspense_items where transfer_id = $1', id));

const balance = (client: Client, accountId: string) => () => accountBalance(client, accountId);

const statusOf = (world: EveryWorld, id: string) => () =>
  world.value('select status from transfers where id = $1', id);

/** A payout above its tenant's threshold. */
async function payout(world: EveryWorld, shown: string): Promise<Case> {
  const { client, accountId } = await world.funded('20000.00', 'EUR');
  const id = await created(client, accountId, { amount: ABOVE_THRESHOLD });
  await lookAtPayout(world.api, id);
  return { subject: id, see: statusOf(world, id), shown };
}

async function ibanPayout(world: EveryWorld, shown: string): Promise<Case> {
  const client = await world.tenant();
  await enabled(world.api, client);
  const account = await world.value('select id from virtual_ibans where tenant_id = $1', client.clientId);
  await credited(world.api, String(account), '20000.00');
  const { id } = await paidOut(client, ABOVE_THRESHOLD);
  await lookAtPayout(world.api, id);
  return { subject: id, see: statusOf(world, id), shown };
}

/** A payout that has left by a file of a bank. The world's own party keeps everything but the recalls. */
async function recallable(world: EveryWorld, id: string): Promise<Case> {
  const { database, keyring, now, parties } = world.api.services;
  const services = { settings: { bic: 'SOGEDEFFXXX' }, database, keyring, now };
  const noExchange = { turn: async () => [] };
  const { recalls } = createFilePayouts(services as unknown as BankFilesServices, noExchange);
  Object.assign(parties.payouts, { recalls });
  const orderKey = String(
    await world.value('select coalesce(party_ref, id) from transfers where id = $1', id),
  );
  await world.api.database.query(
    `insert into bank_orders (key, purpose, end_to_end_id, service, amount, currency, fingerprint, stage, sent, debited)
     values ($1, 'payout', $2, 'sepa', 100, 'EUR', '', 'completed', 100, 100)`,
    [orderKey, endToEndIdOf(orderKey)],
  );
  const see = () => world.value('select recall from bank_orders where key = $1', orderKey);
  return { subject: id, see, shown: 'asked' };
}

async function withdrawal(world: EveryWorld, shown: string): Promise<Case> {
  const { client, accountId } = await world.funded('20000.00', 'EUR');
  const destinationId = await destinationOf(world.api, client);
  const { id } = await withdrawn(client, { accountId, destinationId, amount: ABOVE_THRESHOLD });
  await lookAtWithdrawal(world.api, id);
  return { subject: id, see: statusOf(world, id), shown };
}

/** A payout to an address that the sandbox's screening party never decides on. */
async function screened(world: EveryWorld): Promise<string> {
  const { client, accountId } = await world.funded('500.00', 'EUR');
  const destination = { chain: 'polygon', asset: 'USDT', address: `0x${'7'.repeat(34)}bad004` };
  const id = await created(client, accountId, { method: 'crypto', currency: 'USDT', destination });
  await lookAtPayout(world.api, id);
  return id;
}

async function destination(world: EveryWorld, column: 'waived_at' | 'disabled_at'): Promise<Case> {
  const id = await destinationOf(world.api, await world.tenant(), { waits: true });
  const see = () =>
    world.value(`select ${column} is not null from withdrawal_destinations where id = $1`, id);
  return { subject: id, see, shown: true };
}

/** A correction of an account that has 100.00. */
async function correction(world: EveryWorld, shown: string, more: object = {}): Promise<Case> {
  const { client, accountId } = await world.funded('100.00');
  return {
    subject: accountId,
    input: { amount: '50.00', ...more },
    see: balance(client, accountId),
    shown,
  };
}

async function companyIban(world: EveryWorld, shown: string): Promise<Case> {
  const client = await world.tenant();
  if (shown === 'disabled') await enabled(world.api, client);
  const see = () => world.value('select status from virtual_ibans where tenant_id = $1', client.clientId);
  return { subject: client.clientId, see, shown };
}

export const MONEY: Rows = {
  'deposit.approve': {
    async make(world) {
      const { id } = await reviewed(world);
      return { subject: id, see: statusOf(world, id), shown: 'completed' };
    },
  },
  'deposit.reject': {
    async make(world) {
      const deposit = { ...(await reviewed(world)), client: world.deposits.client };
      return { subject: deposit.id, see: returnedOf(world, deposit), shown: ['80.00'] };
    },
  },
  'deposit.refund': {
    async make(world) {
      const deposit = await paid(world);
      const input = { amount: '25.00' };
      return { subject: deposit.id, input, see: returnedOf(world, deposit), shown: ['25.00'] };
    },
  },
  'payout.approve': { make: (world) => payout(world, 'processing') },
  'payout.reject': { make: (world) => payout(world, 'rejected') },
  'payout.recall': {
    two: true,
    async make(world) {
      const { client, accountId } = await world.funded('500.00', 'EUR');
      const id = await created(client, accountId);
      await lookAtPayout(world.api, id);
      return recallable(world, id);
    },
  },
  'iban-payout.recall': {
    two: true,
    async make(world) {
      const client = await world.tenant();
      await enabled(world.api, client);
      const account = await world.value('select id from virtual_ibans where tenant_id = $1', client.clientId);
      await credited(world.api, String(account), '500.00');
      const { id } = await paidOut(client, '100.00');
      await lookAtPayout(world.api, id);
      return recallable(world, id);
    },
  },
  'iban-payout.approve': { make: (world) => ibanPayout(world, 'processing') },
  'iban-payout.reject': { make: (world) => ibanPayout(world, 'rejected') },
  'withdrawal.approve': { make: (world) => withdrawal(world, 'processing') },
  'withdrawal.reject': { make: (world) => withdrawal(world, 'rejected') },
  'exchange-order.cancel': {
    async make(world) {
      const { client, accountId: eur } = await world.funded('1000.00', 'EUR');
      const pair = { client, eur, usd: await masterAccount(client) };
      const id = await ordered(pair);
      return { subject: id, see: async () => (await readOrder(pair, id)).status, shown: 'cancelled' };
    },
  },
  'destination.add': {
    async make(world) {
      const { clientId: client } = await world.tenant();
      const text = 'select count(*)::int from withdrawal_destinations where tenant_id = $1';
      return { input: { client, currency: 'EUR', ...BANK }, see: () => world.value(text, client), shown: 1 };
    },
  },
  'destination.waive': { make: (world) => destination(world, 'waived_at') },
  'destination.disable': { make: (world) => destination(world, 'disabled_at') },
  'screening.refuse': {
    async make(world) {
      const id = await screened(world);
      return { subject: id, see: statusOf(world, id), shown: 'failed' };
    },
  },
  'screening.clear': {
    two: true,
    async make(world) {
      const id = await screened(world);
      const see = () => world.value('select decided from screenings where subject = $1', id);
      return { subject: id, see, shown: 'cleared' };
    },
  },
  'suspense.return': {
    two: true,
    async make(world) {
      const deposit = await surplus(world);
      return { subject: deposit.id, see: returnedOf(world, deposit), shown: ['50.00'] };
    },
  },
  'suspense.credit': {
    two: true,
    async make(world) {
      const { id, client, accountId: account } = await surplus(world);
      return { subject: id, input: { account }, see: balance(client, account), shown: '146.80 0.00' };
    },
  },
  'suspense.write-off': {
    two: true,
    async make(world) {
      const { id } = await surplus(world);
      return { subject: id, see: leftOf(world, id), shown: 0 };
    },
  },
  'suspense.recover': {
    two: true,
    async make(world) {
      const { id, client, accountId: account } = await short(world);
      return { subject: id, input: { account }, see: balance(client, account), shown: '0.00 0.00' };
    },
  },
  'settlement.move': {
    two: true,
    async make(world) {
      const see = async () => Number(await internal(world.api, 'checkout', 'USD'));
      const input = { party: 'checkout', currency: 'USD', amount: '10.00', as: 'funding' };
      return { input, see, shown: (await see()) - 10 };
    },
  },
  'transfer.conclude': {
    two: true,
    async make(world) {
      const { client, accountId } = await world.funded('500.00', 'EUR');
      const id = await created(client, accountId);
      await lookAtPayout(world.api, id);
      return { subject: id, input: { as: 'failed' }, see: statusOf(world, id), shown: 'failed' };
    },
  },
  'transfer.follow-version': {
    two: true,
    async make(world) {
      const { id, client, accountId } = await restored(world);
      return { subject: id, see: balance(client, accountId), shown: '58.08 0.00' };
    },
  },
  'party.follow-versions': {
    two: true,
    async make(world) {
      const { client, accountId } = await restored(world);
      return { subject: 'checkout', see: balance(client, accountId), shown: '58.08 0.00' };
    },
  },
  'account.open': {
    async make(world) {
      const { clientId: client } = await world.tenant();
      const text = `select count(*)::int from accounts where tenant_id = $1 and currency = 'CHF'`;
      return { input: { client, currency: 'CHF' }, see: () => world.value(text, client), shown: 1 };
    },
  },
  'account.close': {
    async make(world) {
      const client = await world.tenant();
      const { body: user } = await client.call('POST', '/v1/users', { externalId: randomUUID() });
      const { body } = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'EUR' });
      const see = () => world.value('select status from accounts where id = $1', body.id);
      return { subject: body.id, see, shown: 'closed' };
    },
  },
  'account.deposit': { two: true, make: (world) => correction(world, '150.00 0.00') },
  'account.withdraw': { two: true, make: (world) => correction(world, '50.00 0.00') },
  'account.offramp': {
    two: true,
    make: (world) => correction(world, '150.00 0.00', { reference: randomUUID() }),
  },
  'iban.enable': { make: (world) => companyIban(world, 'active') },
  'iban.disable': { make: (world) => companyIban(world, 'disabled') },
  'breaks.resolve': {
    async make(world) {
      const found = { tenantId: null, kind: 'test', subject: randomUUID(), detail: 'a test' };
      const money = { amount: new Decimal('1.50'), currency: 'USD' };
      const { id } = await world.api.database.transaction((tx) => openBreak(tx, { ...found, ...money }));
      const see = () => world.value('select note from breaks where id = $1', id);
      return { subject: id, input: { note: 'found the payer' }, see, shown: 'found the payer' };
    },
  },
};
