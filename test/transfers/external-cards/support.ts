import { createHmac } from 'node:crypto';
import { ACCOUNT_EFFECTS, type AccountEffect } from '../../../src/kernel/ledger/effects';
import { Decimal, ZERO } from '../../../src/kernel/money/money';
import { signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import { advance, type Progress } from '../../../src/transfers/engine/advance';
import { requireKind } from '../../../src/transfers/kinds';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';

/** The common clock of the product and the sandbox's acquirer. */
export interface Clock {
  at: Date;
  pass(seconds: number): void;
}

export async function onClock(): Promise<TestApi & { clock: Clock }> {
  const clock: Clock = {
    at: new Date(),
    pass: (seconds) => {
      clock.at = new Date(clock.at.getTime() + seconds * 1000);
    },
  };
  return Object.assign(await testApi({ now: () => clock.at }), { clock });
}

let keys = 0;
export const freshKey = () => ({ 'x-idempotency-key': `key-${(keys += 1)}` });

export const KINDS = { topup: 'topup', withdrawal: 'withdraw' } as const;

/** Requests a top-up or a withdrawal of 100.00 USD. The account has 500.00. */
export async function asked(
  api: TestApi,
  client: Client,
  kind: keyof typeof KINDS,
  paymentMethodToken: string,
  given: Record<string, unknown> = {},
) {
  const accountId = await masterAccount(client);
  await fund(api, accountId, '500.00');
  const path = `/v2/accounts/${accountId}/${KINDS[kind]}`;
  const body = { amount: '100.00', paymentMethodToken, ...given };
  const answer = await client.call('POST', `${path}/card`, body, freshKey());
  if (answer.status !== 202) throw new Error(`not accepted: ${answer.text}`);
  const { id } = answer.body as { id: string };
  return { id, accountId, answer, show: async () => (await client.call('GET', `${path}/${id}`)).body };
}

/** Makes one step of the transfer's workflow. */
export const looked = async ({ services }: TestApi, id: string): Promise<Progress> =>
  advance(services, await requireKind(services.database, id), id);

/** Makes the steps of the workflow on a moving clock. */
export async function driven(api: TestApi & { clock: Clock }, id: string): Promise<Progress> {
  let progress = await looked(api, id);
  for (let looks = 0; progress.open && progress.status !== 'requires_action' && looks < 20; looks += 1) {
    api.clock.pass(2);
    progress = await looked(api, id);
  }
  return progress;
}

/** The balance of an account as `available pending`. */
export async function balanceOf(client: Client, accountId: string): Promise<string> {
  const { body } = await client.call('GET', `/v2/accounts/${accountId}/balance`);
  return `${body.available} ${body.pending}`;
}

/** The balance of an account by its webhooks and the table of 3.4. */
export async function foldOf(api: TestApi, accountId: string): Promise<string> {
  const rows = await api.database.query<{ data: string }>(
    `select data from events
      where event = 'account_transaction' and data::json->>'accountId' = $1`,
    [accountId],
  );
  const total = rows
    .map(({ data }) => JSON.parse(data) as { type: string; subtype: string; amount: string })
    .reduce((sum, { type, subtype, amount }) => {
      const effect = ACCOUNT_EFFECTS[`${type}/${subtype}` as AccountEffect];
      return sum.plus(new Decimal(amount).times(effect.available + effect.pending));
    }, ZERO);
  return total.toFixed(2);
}

export async function linesOf(api: TestApi, accountId: string, except = 'deposit/admin_deposit') {
  const rows = await api.database.query<{ name: string; amount: string }>(
    `select type || '/' || subtype as name, available::numeric(20, 2)::text as amount from ledger_legs
      where account_id = $1 and listed order by number`,
    [accountId],
  );
  return rows.filter(({ name }) => name !== except).map(({ name, amount }) => `${name} ${amount}`);
}

/** The record's sum on an account in the ledger, with all parts. */
export async function bookedOn(api: TestApi, id: string, account: string): Promise<number> {
  const [row] = await api.database.query<{ amount: string }>(
    `select coalesce(sum(available), 0)::text as amount from ledger_legs
      where account_id = $2 and reference_id in (select reference_id from transfer_entries where transfer_id = $1)`,
    [id, account],
  );
  return Number(row?.amount);
}

export const breaksOf = async (api: TestApi, subject: string) =>
  (
    await api.database.query<{ kind: string; amount: string }>(
      'select kind, amount::text from breaks where subject = $1 order by created_at, id',
      [subject],
    )
  ).map(({ kind, amount }) => `${kind} ${amount}`);

/** Sends a signed callback of the acquirer. */
export function callback(
  api: TestApi & { clock: Clock },
  message: { id: string; key: string },
  secret = partySecret(api.services.keyring, 'external-cards'),
) {
  const raw = JSON.stringify(message);
  return api.call('POST', '/callbacks/external-cards', raw, {
    'x-provider-signature': signMessage(Buffer.from(raw), secret, api.clock.at),
  });
}

export const wrongSecret = createHmac('sha256', 'somebody').digest();
