import { createCardholderActivities } from '../../../activities/cardholders';
import type { Composed } from '../../../src/composition';
import type { CardholderStatus } from '../../../src/people/cardholders/record';
import { decideCardholder } from '../../../src/people/cardholders/review/decision';
import type { Answer, Client, TestApi } from '../../support/api';
import { createUser, jpeg, uploadDocument } from '../../support/uploads';

export const B2C_USD = '44112201';
/** A street that occurs in no other text of a test. */
export const STREET = '17 Quernmore Street';
export const ID_NUMBER = 'Q7734519';

let people = 0;

/** A person whose data passes every rule of `interface.md 2.1`. */
export function identity(
  { services: { reference } }: { services: Pick<Composed, 'reference'> },
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  people += 1;
  const [city] = reference.cities('GB');
  const [occupation] = reference.occupations();
  return {
    firstName: 'Philippa',
    lastName: 'Wrexham',
    email: `Philippa.${people}@quern.example`,
    phone: '7400123456',
    phoneCode: '+44',
    birthday: '1987-11-23',
    country: 'GB',
    town: city?.code,
    address: STREET,
    postCode: 'SW1A 1AA',
    gender: 'F',
    idType: 'PASSPORT',
    idNo: ID_NUMBER,
    idIssueDate: '2020-01-01',
    nationality: 'GB',
    occupation: occupation?.code,
    ...change,
  };
}

export interface Person {
  userId: string;
  accountId: string;
  /** By slot. */
  documents: Record<string, string>;
}

/** A user whose KYC an operator has completed. */
export async function identified(
  api: TestApi,
  client: Client,
  meta: Record<string, unknown> = {},
): Promise<Person> {
  const userId = await createUser(client, identity(api, meta));
  const documents: Record<string, string> = {};
  for (const slot of ['idFrontImg', 'idHoldImg'])
    documents[slot] = (await uploadDocument(client, userId, slot, jpeg(`${slot} of Philippa`))).body
      .id as string;
  await api.database.query(`update users set kyc_status = 'completed' where id = $1`, [userId]);
  const account = await client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'USD' });
  return { userId, accountId: account.body.id as string, documents };
}

export const register = (
  client: Client,
  { userId, accountId }: Person,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  client.call('POST', `/v1/users/${userId}/cardholder`, { accountId, bin: B2C_USD }, headers);

export interface Holder extends Person {
  id: string;
}

/** Creates a cardholder without running its workflow. */
export async function pending(
  api: TestApi,
  client: Client,
  meta: Record<string, unknown> = {},
): Promise<Holder> {
  const person = await identified(api, client, meta);
  const made = await register(client, person);
  if (made.status !== 201) throw new Error(`no cardholder: ${made.text}`);
  return { id: made.body.id as string, ...person };
}

/** The steps of the workflow, called as the workflow calls them. */
export function steps(services: Composed) {
  const { lookAtCardholder, submitCardholder, giveUpSubmission } = createCardholderActivities(services);
  const step = (cardholderId: string) => ({ cardholderId, watchedUntil: Date.now() + 1_000 });
  return {
    look: (id: string) => lookAtCardholder(step(id)),
    submit: (id: string) => submitCardholder(step(id)),
    giveUp: (id: string) => giveUpSubmission(id),
  };
}

export const decide = (
  api: TestApi,
  cardholderId: string,
  decision: 'approved' | 'rejected',
  reason?: string,
) =>
  api.database.transaction((tx) =>
    decideCardholder(api.services, tx, { cardholderId, decision, reason, decidedBy: 'operator:ida' }),
  );

/** Brings a cardholder to a status by the ordinary way. The reviewer must decide at once. */
export async function holderIn(api: TestApi, client: Client, status: CardholderStatus): Promise<Holder> {
  const purposes: Partial<Record<CardholderStatus, string>> = {
    reject: 'sandbox:reject',
    submission_failed: 'sandbox:refuse',
  };
  const accountPurpose = purposes[status] ?? 'Travel';
  const holder = await pending(api, client, { accountPurpose });
  if (status !== 'pending_review')
    await decide(api, holder.id, status === 'rejected_by_admin' ? 'rejected' : 'approved');
  if (!['pending_review', 'rejected_by_admin', 'wait_audit'].includes(status))
    await steps(api.services).submit(holder.id);
  const is = await statusOf(client, holder.id);
  if (is !== status) throw new Error(`it is ${is}, not ${status}`);
  return holder;
}

export const read = async (client: Client, id: string) =>
  (await client.call('GET', `/v1/cardholders/${id}`)).body;
export const statusOf = async (client: Client, id: string): Promise<string> =>
  (await read(client, id)).status as string;

export interface Told {
  status: string;
  previousStatus: string | null;
  description?: string;
  /** The idempotency key of the event. */
  key: string | null;
  registration: string;
}

/** The tenant's events of the cardholder, in order. */
export async function eventsOf(api: TestApi, id: string): Promise<Told[]> {
  const rows = await api.database.query<{
    data: string;
    idempotency_key: string | null;
    registration: string;
  }>(
    `select data, idempotency_key, registration from events
      where event = 'cardholder.status_changed' and data::json->>'cardholderId' = $1 order by number`,
    [id],
  );
  return rows.map(({ data, idempotency_key: key, registration }) => ({
    ...(JSON.parse(data) as Told),
    key,
    registration,
  }));
}

export async function setReview(api: TestApi, clientId: string, setting: 'auto' | 'manual'): Promise<void> {
  await api.database.query(
    `update tenants set settings = jsonb_set(settings, '{cardholderReview}', to_jsonb($2::text)) where id = $1`,
    [clientId, setting],
  );
}
