import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../test/attack/records';
import type { Call, Json } from '../support/api';

/** Ids of the attack's own records by kind. Some kinds exist only after the attack has created them. */
export type KnownIds = Partial<Record<Kind, string>>;

const BIN = '44112200';
/** Longer than a minute, because the product polls the bank once a minute when a callback is lost. */
const CREDIT_SECONDS = 90;
const DESTINATION = { name: 'Ada Byron', iban: 'DE89370400440532013000' };

/** Prepares the client before the attack: one record of most kinds, and money to move. */
export async function makeRecords(client: Call, admin: Call, clientId: string): Promise<KnownIds> {
  const people = await makePeople(client, admin);
  const { user, account, cardholder } = people;
  const owners = { userId: user, accountId: account, cardholderId: cardholder };
  const issued = await keyed(client, '/v1/cards', { ...owners, amount: '500.00' }, { prefer: 'wait=30' });
  const card = String(issued['id']);
  const spend = (more: Json) => client('POST', '/sandbox/transactions', { cardId: card, ...more });
  const authorized = await spend({ type: 'authorization', amount: '50.00' });
  const reference = String(authorized['referenceId']);
  await spend({ type: 'settle', amount: '20.00', referenceId: reference });
  return {
    ...people,
    ...(await makeTransfers(client, account)),
    ...(await makeIbanPayout(client, clientId)),
    company: clientId,
    bin: BIN,
    card,
    reference,
    cardTransaction: String(authorized['id']),
  };
}

async function makePeople(client: Call, admin: Call) {
  const meta = { firstName: 'Ada', lastName: 'Byron', email: `${randomUUID()}@example.com` };
  const made = await client('POST', '/v1/users', { externalId: randomUUID(), meta });
  const user = String(made['id']);
  const opened = await client('POST', `/v1/users/${user}/accounts`, { currency: 'USD' });
  const account = String(opened['id']);
  const accounts = (await client('GET', '/v1/accounts?ownerType=client&currency=USD'))['data'] as Json[];
  const masterAccount = String(accounts[0]?.['id']);
  for (const accountId of [account, masterAccount])
    await admin('POST', '/v1/accounts/admin-deposit', { accountId, amount: '100000.00', reason: 'attack' });
  const holder = await client('POST', `/v1/users/${user}/cardholder`, { accountId: account, bin: BIN });
  const cardholder = String(holder['id']);
  const submitted = { documentedUser: user, userInReview: user };
  const held = { cardholder, pendingCardholder: cardholder, failedCardholder: cardholder };
  return { user, ...submitted, externalId: String(made['externalId']), account, masterAccount, ...held };
}

async function makeTransfers(client: Call, account: string): Promise<KnownIds> {
  const path = `/v2/accounts/${account}`;
  const quoted = async (what: string, method: string): Promise<string> =>
    String((await client('POST', `${path}/${what}-quote`, { method, amount: '20.00' }))['quoteId']);
  const quoteId = await quoted('deposit', 'card');
  const returnUrl = 'https://shop.example/back';
  const deposit = await keyed(client, `${path}/deposits`, { quoteId, returnUrl });
  const body = { quoteId: await quoted('payout', 'sepa'), destination: DESTINATION };
  const payout = await keyed(client, `${path}/payouts`, body);
  const byCard = { amount: '20.00', paymentMethodToken: 'tok_visa' };
  const topup = await keyed(client, `${path}/topup/card`, byCard);
  const withdrawal = await keyed(client, `${path}/withdraw/card`, byCard);
  return {
    deposit: String(deposit['id']),
    payout: String(payout['id']),
    topup: String(topup['id']),
    withdrawal: String(withdrawal['id']),
    depositQuote: await quoted('deposit', 'card'),
    payoutQuote: await quoted('payout', 'sepa'),
  };
}

/** Orders a payout from an enabled virtual IBAN. Without such an IBAN every call there is a 403. */
async function makeIbanPayout(client: Call, clientId: string): Promise<KnownIds> {
  const path = `/v1/corporate-banking/${clientId}`;
  const account = await client('GET', `${path}/account`).catch(() => undefined);
  if (!account) return {};
  const iban = String(account['iban']);
  await client('POST', '/sandbox/iban-credits', { iban, amount: '100000.00' });
  const balance = async () => (await client('GET', `${path}/account`))['balance'] as { available: string };
  const isCredited = async () => Number((await balance()).available) > 0;
  for (let waited = 0; !(await isCredited()); waited += 1) {
    if (waited === CREDIT_SECONDS) throw new Error(`${iban} was not credited in ${CREDIT_SECONDS} seconds`);
    await sleep(1_000);
  }
  const quoted = async (): Promise<string> =>
    String((await client('POST', `${path}/quote`, { amount: '20.00', destination: DESTINATION }))['quoteId']);
  const made = await keyed(client, `${path}/payouts`, { quoteId: await quoted() });
  return { iban, ibanPayout: String(made['id']), ibanQuote: await quoted() };
}

const keyed = (call: Call, path: string, body: Json, headers: Record<string, string> = {}): Promise<Json> =>
  call('POST', path, body, { 'x-idempotency-key': randomUUID(), ...headers });
