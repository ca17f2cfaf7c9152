import { cardwright, until as waitUntil } from '../../client/src';
import type { Client } from '../support/api';
import { jpeg, uploadDocument } from '../support/uploads';

/** A tenant's calls to a running product, by the client kit. A refused call throws. */
export function clientAt(baseUrl: string, credential: Pick<Client, 'clientId' | 'clientSecret'>): Client {
  const { request } = cardwright({ baseUrl, ...credential });
  return {
    ...credential,
    async call(method, path, body, headers = {}) {
      const { 'x-idempotency-key': key, ...others } = headers;
      const answer = await request<any>(method, path, { body, key, headers: others });
      return { ...answer, text: new TextDecoder().decode(answer.bytes) };
    },
  };
}

/** Reads a record until it has a status. */
export function until(path: string, client: Client, ...wanted: string[]): Promise<Record<string, any>> {
  const read = async () => (await client.call('GET', path)).body as Record<string, any>;
  return waitUntil(read, ({ status }) => wanted.includes(status as string), { patienceMs: 90_000 });
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
