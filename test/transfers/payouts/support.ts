import { advance } from '../../../src/transfers/engine/advance';
import { ibanPayoutKind } from '../../../src/transfers/iban/payouts/kind';
import { payoutKind } from '../../../src/transfers/payouts/kind';
import type { PayoutStatus } from '../../../src/transfers/payouts/record';
import type { Answer, Client, TestApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';

export const IBAN = 'DE89370400440532013000';
export const SEPA = { name: 'Ada Byron', iban: IBAN, bic: 'COBADEFF' };

/** Funds the tenant's master account of a currency. @returns its id */
export async function fundedAccount(api: TestApi, client: Client, amount = '5000.00', currency = 'EUR') {
  const accountId = await masterAccount(client, currency);
  await fund(api, accountId, amount);
  return accountId;
}

export interface Asked {
  amount?: string;
  method?: string;
  currency?: string;
  destination?: object;
  externalId?: string;
}

export async function quote(client: Client, accountId: string, asked: Asked = {}): Promise<Answer> {
  const { amount = '100.00', method = 'sepa', currency } = asked;
  return client.call('POST', `/v2/accounts/${accountId}/payout-quote`, { method, amount, currency });
}

let keys = 0;
export const newKey = () => ({ 'x-idempotency-key': `key-${(keys += 1)}` });

/** Takes a quote and creates a payout. @returns the answer, or that of a refused quote */
export async function create(
  client: Client,
  accountId: string,
  asked: Asked = {},
  headers: Record<string, string> = newKey(),
): Promise<Answer> {
  const quoted = await quote(client, accountId, asked);
  if (quoted.status !== 201) return quoted;
  const { destination = SEPA, externalId } = asked;
  const body = { quoteId: quoted.body.quoteId, destination, externalId };
  return client.call('POST', `/v2/accounts/${accountId}/payouts`, body, headers);
}

/** Creates a payout, without a step of its workflow. */
export async function created(client: Client, accountId: string, asked: Asked = {}): Promise<string> {
  const answer = await create(client, accountId, asked);
  if (answer.status !== 201) throw new Error(`no payout: ${answer.text}`);
  return String(answer.body.id);
}

export const read = async (client: Client, accountId: string, id: string) =>
  (await client.call('GET', `/v2/accounts/${accountId}/payouts/${id}`)).body;

const kindOf = (id: string) => (id.startsWith('ibp_') ? ibanPayoutKind : payoutKind);

/** Makes one step of the payout's workflow. @returns the status */
export const look = async (api: TestApi, payoutId: string): Promise<PayoutStatus> =>
  (await advance(api.services, kindOf(payoutId), payoutId)).status as PayoutStatus;

/** Makes steps until the payout has a wanted status. */
export async function lookUntil(api: TestApi, payoutId: string, ...wanted: PayoutStatus[]): Promise<void> {
  for (let looks = 0; looks < 200; looks += 1) {
    const status = await look(api, payoutId);
    if (wanted.includes(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${payoutId} did not become ${wanted.join(' or ')}`);
}

/** The account's webhooks of the payout as `type/subtype amount`, in order. */
export async function told(api: TestApi, payoutId: string): Promise<string[]> {
  const rows = await api.database.query<{ type: string; subtype: string; data: string }>(
    `select type, subtype, whole_text(data) as data from events
      where event = 'account_transaction' and (reference_id = $1 or whole_text(data)::json->>'linkedId' = $1) order by number`,
    [payoutId],
  );
  return rows.map(
    ({ type, subtype, data }) => `${type}/${subtype} ${(JSON.parse(data) as { amount: string }).amount}`,
  );
}

/** The status webhooks of the payout, in order. */
export async function statusesTold(api: TestApi, payoutId: string): Promise<string[]> {
  const rows = await api.database.query<{ data: string }>(
    `select data from events where event = 'payout.status_changed' and data::json->>'recordId' = $1 order by number`,
    [payoutId],
  );
  return rows.map(({ data }) => {
    const { previousStatus, status } = JSON.parse(data) as Record<string, string>;
    return `${previousStatus} → ${status}`;
  });
}

/** The payout's sum on an internal account, such as `payouts:EUR`. */
export async function internal(api: TestApi, account: string, payoutId: string): Promise<string> {
  const [row] = await api.database.query<{ sum: string }>(
    `select coalesce(sum(l.available), 0)::numeric(20, 2)::text as sum
       from (select distinct reference_id from transfer_entries where transfer_id = $2) e
       join ledger_legs l on l.reference_id = e.reference_id and l.account_id = $1`,
    [account, payoutId],
  );
  return row?.sum ?? '';
}

export const breaksOf = (api: TestApi, payoutId: string) =>
  api.database.query<{ kind: string; detail: string }>(
    'select kind, detail from breaks where subject = $1 order by created_at, id',
    [payoutId],
  );
