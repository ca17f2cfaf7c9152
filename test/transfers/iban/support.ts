import { move } from '../../../src/accounts/accounts/move';
import { SANDBOX_RANGE } from '../../../src/kernel/config/virtual-ibans';
import { newId } from '../../../src/kernel/ids';
import { accountEntry, internalEntry } from '../../../src/kernel/ledger/entries';
import { Decimal } from '../../../src/kernel/money/money';
import { discover } from '../../../src/transfers/discover';
import { advance, type Progress } from '../../../src/transfers/engine/advance';
import { lookAtCredit } from '../../../src/transfers/iban/credits/look';
import { ibanPayoutKind } from '../../../src/transfers/iban/payouts/kind';
import { disableIban, enableIban } from '../../../src/transfers/iban/virtual-ibans/capability';
import type { Client, TestApi } from '../../support/api';
import { freshKey } from '../external-cards/support';

export const DESTINATION = { name: 'Ada Byron', iban: 'DE89370400440532013000' };

/** Enables the IBAN like `operator iban enable`. */
export const enabled = (api: TestApi, client: Client, at = api.services.now()) =>
  api.database.transaction(async (tx) => (await enableIban(tx, SANDBOX_RANGE, client.clientId, at)).iban);

export const disabled = (api: TestApi, client: Client, at = api.services.now()) =>
  api.database.transaction(async (tx) => (await disableIban(tx, client.clientId, at)).iban);

export const bankingPath = (client: Client) => `/v1/corporate-banking/${client.clientId}`;

/** Credits the virtual IBAN like a payment of the bank. */
export async function credited(api: TestApi, ibanId: string, amount: string): Promise<void> {
  const reference = newId('reference');
  const value = new Decimal(amount);
  const entries = [
    accountEntry(ibanId, 'deposit/iban_credit', value, reference),
    internalEntry('bank', 'EUR', value.negated(), reference),
  ];
  await api.database.transaction((tx) => move(tx, { entries }, {}));
}

/** Makes one step of a payment's workflow, by the bank's id. */
export const lookedAtCredit = ({ services }: TestApi, bankId: string): Promise<Progress> =>
  lookAtCredit(services, bankId, (ref) => discover(services, 'bank', ref));

/** Our id of a bank's payment. */
export async function creditIdOf(api: TestApi, bankId: string): Promise<string> {
  const [row] = await api.database.query<{ id: string }>(
    `select id from transfers where party = 'bank' and party_ref = $1`,
    [bankId],
  );
  if (!row) throw new Error(`there is no record of ${bankId}`);
  return row.id;
}

/** The balance of the virtual IBAN by the API, as `available pending`. */
export async function ibanBalance(client: Client): Promise<string> {
  const { balance } = (await client.call('GET', `${bankingPath(client)}/account`)).body;
  return `${balance.available} ${balance.pending}`;
}

/** Takes a quote and creates a payout. */
export async function paidOut(client: Client, amount: string, headers = freshKey()) {
  const path = bankingPath(client);
  const quote = await client.call('POST', `${path}/quote`, { amount, destination: DESTINATION });
  if (quote.status !== 201) throw new Error(`no quote: ${quote.text}`);
  const made = await client.call('POST', `${path}/payouts`, { quoteId: quote.body.quoteId }, headers);
  if (made.status !== 201) throw new Error(`no payout: ${made.text}`);
  const { id } = made.body as { id: string };
  return { id, made, show: async () => (await client.call('GET', `${path}/payouts/${id}`)).body };
}

/** Makes one step of the payout's workflow. */
export const look = (api: TestApi, id: string): Promise<Progress> =>
  advance(api.services, ibanPayoutKind, id);

/** Makes the steps of the workflow on a moving clock. */
export async function drivenPayout(
  api: TestApi & { clock: { pass(seconds: number): void } },
  id: string,
): Promise<Progress> {
  let progress = await look(api, id);
  for (let looks = 0; progress.open && looks < 20; looks += 1) {
    api.clock.pass(2);
    progress = await look(api, id);
  }
  return progress;
}
