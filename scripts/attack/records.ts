import { randomUUID } from 'node:crypto';
import { type Cardwright, CardwrightError, until } from '../../client/src';
import type { Kind, Records } from '../../test/attack/records';
import type { Client } from '../../test/support/api';

/** Ids of the attack's own records by kind. Some kinds exist only after the attack has created them. */
export type KnownIds = Partial<Record<Kind, string>>;

/** The records of a running installation, in the shape that drafts and moves take. */
export function recordsFrom(known: KnownIds, client: Client): Records {
  async function id(kind: Kind): Promise<string> {
    const found = known[kind];
    if (found === undefined) throw new Error(`The attack has no record of the kind ${kind}.`);
    return found;
  }
  return { client, mark: 'Attack', id, made: async () => Object.values(known) };
}

const BIN = '44112200';
/** Longer than a minute, because the product polls the bank once a minute when a callback is lost. */
const CREDIT_MS = 90_000;
const DESTINATION = { name: 'Ada Byron', iban: 'DE89370400440532013000' };

/** Prepares the client before the attack: one record of most kinds, and money to move. */
export async function makeRecords(callers: Callers, clientId: string): Promise<KnownIds> {
  const { client } = callers;
  const people = await makePeople(callers);
  const { user, account, cardholder } = people;
  const owners = { userId: user, accountId: account, cardholderId: cardholder };
  const { id: card } = await client.issueCard({ body: { ...owners, amount: '500.00' }, wait: 30 });
  const authorized = await client.createSandboxTransaction({
    body: { cardId: card, type: 'authorization', amount: '50.00' },
  });
  const { referenceId } = authorized;
  await client.createSandboxTransaction({
    body: { cardId: card, type: 'settle', amount: '20.00', referenceId },
  });
  return {
    ...people,
    ...(await makeTransfers(client, account)),
    ...(await makeIbanPayout(client, clientId)),
    company: clientId,
    bin: BIN,
    card,
    reference: referenceId,
    cardTransaction: authorized.id,
  };
}

export interface Callers {
  client: Cardwright;
  admin: Cardwright;
}

async function makePeople({ client, admin }: Callers) {
  const meta = { firstName: 'Ada', lastName: 'Byron', email: `${randomUUID()}@example.com` };
  const externalId = randomUUID();
  const { id: user } = await client.createUser({ body: { externalId, meta } });
  const { id: account } = await client.openUserAccount({ path: { id: user }, body: { currency: 'USD' } });
  const masterIn = async (currency: string) =>
    String((await client.listAccounts({ query: { ownerType: 'client', currency } })).data[0]?.id);
  const [masterAccount, euroAccount] = [await masterIn('USD'), await masterIn('EUR')];
  for (const accountId of [account, masterAccount, euroAccount])
    await admin.creditAccount({ body: { accountId, amount: '100000.00', reason: 'attack' } });
  const holder = await client.createCardholder({
    path: { id: user },
    body: { accountId: account, bin: BIN },
  });
  const cardholder = holder.id;
  const submitted = { documentedUser: user, userInReview: user };
  const held = { cardholder, pendingCardholder: cardholder, failedCardholder: cardholder };
  return { user, ...submitted, externalId, account, masterAccount, euroAccount, ...held };
}

async function makeTransfers(client: Cardwright, account: string): Promise<KnownIds> {
  const path = { accountId: account };
  const quotedDeposit = async () =>
    (await client.quoteDeposit({ path, body: { method: 'card', amount: '20.00' } })).quoteId;
  const quotedPayout = async () =>
    (await client.quotePayout({ path, body: { method: 'sepa', amount: '20.00' } })).quoteId;
  const returnUrl = 'https://shop.example/back';
  const deposit = await client.createDeposit({ path, body: { quoteId: await quotedDeposit(), returnUrl } });
  const payout = await client.createPayout({
    path,
    body: { quoteId: await quotedPayout(), destination: DESTINATION },
  });
  const byCard = { path: { id: account }, body: { amount: '20.00', paymentMethodToken: 'tok_visa' } };
  const topup = await client.topUpAccount(byCard);
  const withdrawal = await client.withdrawToExternalCard(byCard);
  return {
    deposit: deposit.id,
    payout: payout.id,
    topup: topup.id,
    withdrawal: withdrawal.id,
    depositQuote: await quotedDeposit(),
    payoutQuote: await quotedPayout(),
  };
}

/** Orders a payout from an enabled virtual IBAN. Without such an IBAN every call there is a 403. */
async function makeIbanPayout(client: Cardwright, clientId: string): Promise<KnownIds> {
  const path = { companyId: clientId };
  const read = () => client.getVirtualIban({ path });
  const account = await read().catch((error: unknown) => {
    if (error instanceof CardwrightError) return undefined;
    throw error;
  });
  if (!account) return {};
  const { iban } = account;
  await client.createSandboxIbanCredit({ body: { iban, amount: '100000.00' } });
  await until(read, ({ balance }) => Number(balance.available) > 0, {
    patienceMs: CREDIT_MS,
    pauseMs: 1_000,
  });
  const quoted = async () =>
    (await client.quoteIbanPayout({ path, body: { amount: '20.00', destination: DESTINATION } })).quoteId;
  const made = await client.createIbanPayout({ path, body: { quoteId: await quoted() } });
  return { iban, ibanPayout: made.id, ibanQuote: await quoted() };
}
