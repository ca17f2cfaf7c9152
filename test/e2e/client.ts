import type { Answer, Client } from '../support/api';
import { jpeg, uploadDocument } from '../support/uploads';

/** A tenant's calls to a running product. A refused call throws. */
export function clientAt(
  baseUrl: string,
  { clientId, clientSecret }: Pick<Client, 'clientId' | 'clientSecret'>,
): Client {
  const own = { 'x-client-id': clientId, 'x-client-secret': clientSecret };
  return { clientId, clientSecret, call: (...asked) => call(baseUrl, own, ...asked) };
}

async function call(
  baseUrl: string,
  own: Record<string, string>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isBytes = body instanceof Uint8Array;
  const sent = isBytes || body === undefined ? body : JSON.stringify(body);
  const type: Record<string, string> =
    sent === undefined || isBytes ? {} : { 'content-type': 'application/json' };
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...type, ...own, ...headers },
    ...(sent === undefined ? {} : { body: sent as string }),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, body: parsed(text) };
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
  return answer;
}

const parsed = (text: string): any => (text === '' ? {} : JSON.parse(text));

/** Reads a record until it has a status. */
export async function until(path: string, client: Client, ...wanted: string[]): Promise<Record<string, any>> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const { body } = await client.call('GET', path);
    if (wanted.includes(body.status as string)) return body as Record<string, any>;
    if (Date.now() > deadline) throw new Error(`${path} is ${body.status}, not ${wanted.join(' or ')}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const PERSON = {
  firstName: 'Philippa',
  lastName: 'Wrexham',
  email: 'philippa@quern.example',
  gender: 'F',
  phone: '7400123456',
  phoneCode: '+44',
  birthday: '1987-11-23',
  country: 'GB',
  nationality: 'GB',
  address: '17 Quernmore Street',
  postCode: 'SW1A 1AA',
  accountPurpose: 'Travel',
  idType: 'PASSPORT',
  idNo: 'Q7734519',
  idIssueDate: '2020-01-01',
};

/** Creates a user with a completed KYC, and a cardholder who waits for an operator. @returns id of the cardholder */
export async function pendingCardholder(
  client: Client,
  admin: Client,
  { accountId, bin }: { accountId: string; bin: string },
): Promise<string> {
  const [city] = (await client.call('GET', '/v1/cardholders/cities?region=GB')).body.data;
  const [occupation] = (await client.call('GET', '/v1/cardholders/occupations')).body.data;
  const meta = { ...PERSON, town: city.code, occupation: occupation.code };
  const userId = (await client.call('POST', '/v1/users', { meta })).body.id as string;
  for (const slot of ['idFrontImg', 'idBackImg', 'idHoldImg'])
    await uploadDocument(client, userId, slot, jpeg(slot));
  await client.call('POST', `/v1/users/${userId}/kyc/submit`, {});
  await admin.call('PATCH', `/v1/users/${userId}/kyc/status`, { status: 'completed' });
  const made = await client.call('POST', `/v1/users/${userId}/cardholder`, { accountId, bin });
  if (made.body.status !== 'pending_review') throw new Error(made.text);
  return made.body.id as string;
}
