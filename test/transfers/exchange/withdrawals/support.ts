import { newId } from '../../../../src/kernel/ids';
import { Decimal } from '../../../../src/kernel/money/money';
import type { ExchangeParty, ExchangeWithdrawalOrder } from '../../../../src/parties/exchange/port';
import type { ExchangeWithdrawalWord } from '../../../../src/parties/exchange/word';
import { PartyAway, PartyRefused } from '../../../../src/process/party-errors';
import { advance } from '../../../../src/transfers/engine/advance';
import {
  type AddDestination,
  addDestination,
  waiveDestination,
} from '../../../../src/transfers/exchange/destinations/operations';
import { exchangeWithdrawalKind, withdrawalKey } from '../../../../src/transfers/exchange/withdrawals/kind';
import type { Answer, Client, TestApi } from '../../../support/api';

export const IBAN = 'DE89370400440532013000';
export const BANK = { name: 'Ada Byron', iban: IBAN, bic: 'COBADEFF' };
export const OPERATOR = 'operator:ada';

/** An exchange in the test's memory, for withdrawals. The test sets its words. */
export interface ExchangeDouble {
  /** The accepted withdrawals, by key. */
  orders: Map<string, ExchangeWithdrawalOrder>;
  /** Faults of the next orders, one each. `lost`: accepted, but without an answer. */
  faults: ('refused' | 'away' | 'lost')[];
  /** Sets the word on a withdrawal. */
  say(id: string, status: ExchangeWithdrawalWord['status'], returned?: string): void;
}

const none = () => Promise.reject(new Error('the double has only withdrawals'));

export function exchangeDouble(api: TestApi): ExchangeDouble {
  const words = new Map<string, ExchangeWithdrawalWord>();
  const double: ExchangeDouble = {
    orders: new Map(),
    faults: [],
    say(id, status, returned) {
      const key = withdrawalKey(id);
      const ordered = double.orders.get(key);
      if (!ordered) throw new Error(`the exchange has no ${id}`);
      const version = (words.get(key)?.version ?? 0) + 1;
      const hasLeft = status !== 'processing' && status !== 'failed';
      const back = returned ?? (status === 'returned' ? ordered.amount.toFixed() : undefined);
      const returns = back === undefined ? [] : [{ id: `back-${key}`, amount: new Decimal(back) }];
      words.set(key, { version, status, sent: hasLeft ? ordered.amount : new Decimal(0), returns });
    },
  };
  const party: ExchangeParty = {
    order: none,
    askOrder: none,
    balances: none,
    verify: () => undefined,
    changes: async () => ({ changes: [], unreadable: [], next: '0', more: false }),
    async withdraw(order) {
      const fault = double.faults.shift();
      if (fault === 'refused') throw new PartyRefused('beneficiary_refused');
      if (fault === 'away') throw new PartyAway('away');
      const word: ExchangeWithdrawalWord = {
        version: 1,
        status: 'processing',
        sent: new Decimal(0),
        returns: [],
      };
      if (!double.orders.has(order.key)) words.set(order.key, word);
      double.orders.set(order.key, order);
      if (fault === 'lost') throw new PartyAway('the answer was lost');
      return words.get(order.key) ?? word;
    },
    askWithdrawal: async (key) => words.get(key) ?? 'unknown_to_party',
  };
  api.services.parties.exchange = party;
  return double;
}

/** Adds a destination, usable at once unless `waits` is set. @returns its id */
export async function destinationOf(
  api: TestApi,
  { clientId: tenantId }: Pick<Client, 'clientId'>,
  { waits, ...given }: Partial<AddDestination> & { waits?: true } = {},
): Promise<string> {
  const { services, database } = api;
  const wanted = { tenantId, currency: 'EUR', bank: BANK, by: OPERATOR, ...given };
  const { id } = await database.transaction((tx) => addDestination(services, tx, wanted));
  const change = { id, by: OPERATOR, at: services.now(), byAnother: false };
  if (!waits) await database.transaction((tx) => waiveDestination(tx, change));
  return id;
}

export const newKey = () => ({ 'x-idempotency-key': newId('reference') });

export const withdraw = (client: Client, body: object, headers: Record<string, string> = newKey()) =>
  client.call('POST', '/v1/exchange/withdrawals', body, headers);

/** Creates a withdrawal. @returns the record in its first state */
export async function withdrawn(client: Client, body: object): Promise<Answer['body']> {
  const answer = await withdraw(client, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

export const read = async (client: Client, id: string) =>
  (await client.call('GET', `/v1/exchange/withdrawals/${id}`)).body;

/** Makes one step of the withdrawal's workflow. @returns the status */
export const look = async (api: TestApi, id: string): Promise<string> =>
  (await advance(api.services, exchangeWithdrawalKind, id)).status;
