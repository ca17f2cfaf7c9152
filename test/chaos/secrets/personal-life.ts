import { randomInt, randomUUID } from 'node:crypto';
import { answered, type Line } from '../../../scripts/processor/send';
import type { Database } from '../../../src/kernel/db/database';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { keyringIn } from '../../support/keyring';
import type { Credential, Fleet } from '../../support/product';
import { until } from '../../support/until';
import { form, jpeg } from '../../support/uploads';
import { type Persistent, persistent } from '../persistent';

/**
 * Plays the life of one person in all domains, by the HTTP API and the operator's commands. Each value that names somebody, or
 * that nobody may read, is a mark that occurs in no other text.
 */

/** Data of the person, by name. */
export const MARKS = {
  firstName: 'Quenelda',
  lastName: 'Thistlewick',
  email: 'quenelda.thistlewick@quern.example',
  'another e-mail': 'q.thistlewick@mossgrove.example',
  address: '17 Thornapple Hollow',
  phone: '7400918273',
  idNo: 'Q7734519XK',
  'a field of the meta': 'xylographer of Mossgrove',
  'a document': 'the portrait of Quenelda in oil',
  notes: 'Her cousin Ermintrude vouches for her',
  'a beneficiary': 'Balthasar Quillfeather',
  'an IBAN': 'DE02120300000000202051',
  'a beneficiary of the company': 'Wilhelmina Oxenstierna',
  'an IBAN of the company': 'GB82WEST12345698765432',
  'a remitter': 'Ignatius Featherstonehaugh',
  'an IBAN of a remitter': 'FR1420041010050500013M02606',
  'a destination of the exchange': 'Ludovica Zimmersmith',
  'an IBAN of the exchange': 'AT611904300234573201',
  'a card token of a payout': 'tok_quillfeather_visa_7781',
} as const;

/** Texts that a client or an operator writes about the person, for the other one to read. */
export const TEXTS = {
  externalId: 'crm-0099-mulberry',
  'a reason of a status': 'moved away with her aunt Philomena',
  'a reason of a review': 'the passport of her aunt is expired',
} as const;

export interface Life {
  userId: string;
  client: Persistent;
  admin: Persistent;
  /** Secrets that the life has produced, by name. */
  secrets: Record<string, string>;
  /** Six digits each, so that only whole words count. */
  codes: string[];
}

const B2B_BIN = '44112200';
const B2C_BIN = '44112201';

export async function livePersonally(fleet: Fleet, database: Database): Promise<Life> {
  const credential = await fleet.newTenant();
  const admin = persistent(fleet, await fleet.newTenant('admin'));
  const client = persistent(fleet, credential);
  const person = await becomeKnown(fleet, credential, client, admin);
  const accounts = await haveMoney(client, admin, person.userId);
  await moveMoney(client, accounts);
  await bankAsCompany(fleet, client, credential.clientId, accounts.masterEur);
  const { secrets, codes } = await payByCard(fleet, database, client, { ...person, ...accounts });
  const rotated = await client.once('POST', '/v1/client/secret/rotate', {});
  expect([rotated.status < 300, rotated.text]).toEqual([true, expect.any(String)]);
  const secret = String(rotated.body.clientSecret);
  const all = { ...secrets, 'the secret': credential.clientSecret, 'the new secret': secret };
  return { userId: person.userId, client, admin, secrets: all, codes };
}

async function made(by: Persistent, method: string, path: string, body: unknown) {
  const answer = await by.send(method, path, body, `life-${randomUUID()}`);
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, expect.any(String)]);
  return answer.body;
}

/** A user with documents, KYC, notes, and cardholders on both models of BINs. */
async function becomeKnown(fleet: Fleet, credential: Credential, client: Persistent, admin: Persistent) {
  const [town] = (await client.get('/v1/cardholders/cities?region=GB')).data;
  const [occupation] = (await client.get('/v1/cardholders/occupations')).data;
  const meta = {
    firstName: MARKS.firstName,
    lastName: MARKS.lastName,
    email: MARKS['another e-mail'],
    phone: MARKS.phone,
    phoneCode: '+44',
    birthday: '1987-11-23',
    country: 'GB',
    town: town.code,
    address: MARKS.address,
    postCode: 'SW1A 1AA',
    gender: 'F',
    idType: 'PASSPORT',
    idNo: MARKS.idNo,
    idIssueDate: '2020-01-01',
    nationality: 'GB',
    occupation: occupation.code,
    trade: MARKS['a field of the meta'],
  };
  const { id: userId } = await made(client, 'POST', '/v1/users', { externalId: TEXTS.externalId, meta });
  await made(client, 'PATCH', `/v1/users/${userId}`, { meta: { email: MARKS.email } });
  for (const slot of ['idFrontImg', 'idHoldImg']) {
    const sent = form([
      ['slot', slot],
      ['file', { bytes: jpeg(MARKS['a document']) }],
    ]);
    const uploaded = await fetch(`${fleet.baseUrl}/v1/users/${userId}/kyc/documents`, {
      method: 'POST',
      headers: {
        'x-client-id': credential.clientId,
        'x-client-secret': credential.clientSecret,
        ...sent.headers,
      },
      body: Buffer.from(sent.body),
    });
    expect(uploaded.status).toBe(201);
  }
  await made(client, 'POST', `/v1/users/${userId}/kyc/submit`, {});
  await made(admin, 'PATCH', `/v1/users/${userId}/kyc/notes`, { notes: MARKS.notes });
  const reason = TEXTS['a reason of a review'];
  await made(admin, 'PATCH', `/v1/users/${userId}/kyc/status`, { status: 'completed', reason });
  for (const status of ['blocked', 'active'])
    await made(client, 'PATCH', `/v1/users/${userId}/status`, {
      status,
      reason: TEXTS['a reason of a status'],
    });
  return { userId: String(userId) };
}

interface Accounts {
  usd: string;
  eur: string;
  masterEur: string;
}

async function haveMoney(client: Persistent, admin: Persistent, userId: string): Promise<Accounts> {
  const opened = async (currency: string) =>
    String((await made(client, 'POST', `/v1/users/${userId}/accounts`, { currency })).id);
  const all = await client.get('/v1/accounts?ownerType=client&limit=100');
  const masterEur = all.data.find(({ currency }: { currency: string }) => currency === 'EUR').id;
  const accounts = { usd: await opened('USD'), eur: await opened('EUR'), masterEur };
  for (const accountId of Object.values(accounts)) {
    const deposit = { accountId, amount: '5000.00', reason: 'opening' };
    await made(admin, 'POST', '/v1/accounts/admin-deposit', deposit);
  }
  return accounts;
}

const ENDED = ['completed', 'failed', 'returned', 'rejected', 'cancelled'];
const hasEnded = ({ status }: { status: string }) => ENDED.includes(status);

/** Payouts of the user and of the company, and transfers by a payment card. */
async function moveMoney(client: Persistent, { eur, masterEur }: Accounts): Promise<void> {
  const own = { name: MARKS['a beneficiary'], iban: MARKS['an IBAN'] };
  const company = { name: MARKS['a beneficiary of the company'], iban: MARKS['an IBAN of the company'] };
  const paths: string[] = [];
  for (const [accountId, method, destination] of [
    [eur, 'sepa', own],
    [eur, 'card', { cardToken: MARKS['a card token of a payout'] }],
    [masterEur, 'sepa', company],
  ] as const) {
    const account = `/v2/accounts/${accountId}`;
    const { quoteId } = await made(client, 'POST', `${account}/payout-quote`, { method, amount: '50.00' });
    const { id } = await made(client, 'POST', `${account}/payouts`, { quoteId, destination });
    paths.push(`${account}/payouts/${id}`);
  }
  for (const way of ['topup', 'withdraw']) {
    const path = `/v2/accounts/${eur}/${way}`;
    const { id } = await made(client, 'POST', `${path}/card`, {
      amount: '25.00',
      paymentMethodToken: 'tok_visa',
    });
    paths.push(`${path}/${id}`);
  }
  for (const path of paths) await client.get(path, hasEnded);
}

/** The virtual IBAN with a remitter and a payout, and a withdrawal from the exchange. */
async function bankAsCompany(fleet: Fleet, client: Persistent, companyId: string, accountId: string) {
  expect(await fleet.operator('iban', 'enable', companyId)).toMatchObject({ code: 0 });
  const path = `/v1/corporate-banking/${companyId}`;
  const { iban } = await client.get(`${path}/account`);
  const remitter = { name: MARKS['a remitter'], iban: MARKS['an IBAN of a remitter'] };
  await made(client, 'POST', '/sandbox/iban-credits', { iban, amount: '900.00', remitter });
  await client.get(`${path}/account`, ({ balance }) => Number(balance.available) > 0);
  const destination = { name: MARKS['a beneficiary of the company'], iban: MARKS['an IBAN of the company'] };
  const { quoteId } = await made(client, 'POST', `${path}/quote`, { amount: '40.00', destination });
  const { id } = await made(client, 'POST', `${path}/payouts`, { quoteId });
  await client.get(`${path}/payouts/${id}`, hasEnded);
  const added = await fleet.operator(
    ...['destination', 'add', '--client', companyId, '--currency', 'EUR', '--json'],
    ...['--name', MARKS['a destination of the exchange'], '--iban', MARKS['an IBAN of the exchange']],
  );
  const { id: destinationId } = JSON.parse(added.out) as { id: string };
  expect(await fleet.operator('destination', 'waive', destinationId)).toMatchObject({ code: 0 });
  const given = { accountId, destinationId, amount: '30.00' };
  const withdrawal = await made(client, 'POST', '/v1/exchange/withdrawals', given);
  await client.get(`/v1/exchange/withdrawals/${withdrawal.id}`, hasEnded);
}

/** Cards of both models, a revealed number, purchases, and one-time codes. */
async function payByCard(
  fleet: Fleet,
  database: Database,
  client: Persistent,
  { userId, usd }: Accounts & { userId: string },
): Promise<Pick<Life, 'secrets' | 'codes'>> {
  const secrets: Record<string, string> = {};
  const codes: string[] = [];
  for (const bin of [B2B_BIN, B2C_BIN]) {
    const holder = await made(client, 'POST', `/v1/users/${userId}/cardholder`, { accountId: usd, bin });
    await client.get(`/v1/cardholders/${holder.id}`, ({ status }) => status === 'pass_audit');
    const asked = { userId, accountId: usd, cardholderId: holder.id, amount: '200.00' };
    const { id: cardId } = await made(client, 'POST', '/v1/cards', asked);
    await client.get(`/v1/cards/${cardId}`, ({ status }) => status === 'active');
    const shown = await client.get(`/v1/cards/${cardId}/sensitive`);
    secrets[`the number of the card of ${bin}`] = shown.cardNumber;
    const bought = { cardId, type: 'authorization', amount: '12.00' };
    await made(client, 'POST', '/sandbox/transactions', bought);
    codes.push(await authenticated(fleet, database, client, String(cardId)));
  }
  return { secrets, codes };
}

/** Authenticates a purchase by the code that the sandbox has mailed. @returns the code */
async function authenticated(fleet: Fleet, database: Database, client: Persistent, cardId: string) {
  const keyring = await keyringIn(database, fleet.masterKey);
  const line: Line = { url: fleet.baseUrl, secret: partySecret(keyring, 'card-processor') };
  const [card] = await database.query<{ reference: string }>(
    'select processor_reference as reference from cards where id = $1',
    [cardId],
  );
  const challengeId = `acs-${randomInt(1e9)}`;
  const merchant = { id: 'merchant-1', name: `Bookshop ${challengeId}`, country: 'AT' };
  const tell = async (type: string, message: object) =>
    JSON.parse(
      (await answered(line, type, JSON.stringify({ messageId: randomUUID(), type, ...message }))).text,
    ) as Record<string, unknown>;
  const terms = { amount: '60.00', currency: 'USD', merchant, challengeId };
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const asked = { ...terms, cardReference: card?.reference, expiresAt };
  expect(await tell('challenge', asked)).toMatchObject({ accepted: true });
  let code = '';
  await until(async () => {
    const { mails } = await client.get('/sandbox/mailbox');
    const mail = mails.find(({ text }: { text: string }) => text.includes(merchant.name));
    code = /^\d{6}\r?$/m.exec(mail?.text ?? '')?.[0].trim() ?? '';
    return code !== '';
  });
  const verified = await tell('challenge.verify', { challengeId, code });
  expect(verified).toMatchObject({ result: 'approved' });
  return code;
}
