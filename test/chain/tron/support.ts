import { randomBytes } from 'node:crypto';
import { createKeyring } from '../../../src/kernel/security/keyring';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type OperatorAnswer, operatorOf, type TestOperator } from '../../support/operator';

/** The contract of Tether on TRON's main chain. */
export const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** Whose keys are elsewhere: a treasury, a station, and somebody who pays. */
export const TREASURY = 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC';
export const STATION = 'TDvSsdrNM5eeXNL3czpa6AxLDHZA9nwe9K';
export const PAYER = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

export const NETWORK = {
  ...{ name: 'TRON', kind: 'tron', rpcUrls: [], confirmations: 20, enabled: true },
  assets: [{ symbol: 'USDT', contract: TRON_USDT, decimals: 6, minDeposit: '1' }],
  version: 0,
};

export const TERMS = {
  ...{ gasThreshold: '30', gasTopupAmount: '40', minSweepAmount: { USDT: '5' } },
  ...{ treasuryAddress: TREASURY, sweepConfirmations: 20, autoSweep: false },
};

export interface TronWorld {
  api: TestApi;
  admin: Client;
  client: Client;
  operator: TestOperator;
  /** Another one, who may approve. */
  second: TestOperator;
  /** Of the client, or that one, in USDT or that currency. */
  account(currency?: string, of?: Client): Promise<string>;
  /** An address that is kept for the account. */
  allocate(accountId: string): Promise<string>;
  walletId(address: string): Promise<string>;
  /** Ends what the address is kept for: it may be swept from then on. */
  release(address: string): Promise<void>;
  /** Records a deposit of USDT by the command line. @param given options; a flag has no text */
  record(address: string, amount: string, given?: Record<string, string>): Promise<OperatorAnswer>;
  /** Takes a deposit back by the command line. */
  takeBack(id: string): Promise<OperatorAnswer>;
  /** An address that had that much brought to it, and is kept for nobody any more. */
  paid(amount: string): Promise<{ id: string; address: string }>;
  /** The step of a deposit's workflow. @returns its status */
  look(id: string): Promise<string>;
  /** What an internal account has received. */
  booked(account: string): Promise<string>;
  close(): Promise<void>;
}

let hashes = 0;
/** Of a transaction that was never named before. */
export const newHash = (): string => (hashes += 1).toString(16).padStart(64, 'a');

/** The API with a network `tron`, a treasury and an operator; there is no node at all. */
export async function tronWorld(): Promise<TronWorld> {
  const key = randomBytes(32);
  const api = await testApi({ keyring: createKeyring(key) });
  const [admin, client] = [await api.client('admin'), await api.client()];
  await expectOk(admin.call('PUT', '/v1/networks/tron', NETWORK));
  await expectOk(admin.call('PUT', '/v1/gas-station/config/tron', { ...TERMS, version: 0 }));
  const operator = await operatorOf(api, key);
  const world: TronWorld = {
    ...{ api, admin, client, operator },
    second: await operatorOf(api, key, {}, 'bob'),
    account: async (currency = 'USDT', of = client) => {
      const argv = ['--client', of.clientId, '--currency', currency, '--json'];
      return (await operator('account', 'open', ...argv)).json().accountId;
    },
    async allocate(accountId) {
      const body = { chain: 'tron', asset: 'USDT', accountId, reference: `order-${newHash()}` };
      return (await expectOk(client.call('POST', '/v1/wallets/allocate', body))).address;
    },
    async walletId(address) {
      const { data } = (await admin.call('GET', '/v1/gas-station/wallets?limit=100&chain=tron')).body;
      return data.find((each: { address: string }) => each.address === address).id;
    },
    async release(address) {
      await expectOk(client.call('POST', '/v1/wallets/release', { chain: 'tron', address }));
    },
    record: (address, amount, given = {}) => {
      const options = {
        ...{ chain: 'tron', address, asset: 'USDT', amount, from: PAYER, hash: newHash(), block: '70000000' },
        ...{ at: new Date().toISOString(), reason: 'seen on the explorer', ...given },
      };
      const argv = Object.entries(options).flatMap(([name, value]) => [
        `--${name}`,
        ...(value === '' ? [] : [value]),
      ]);
      return operator('chain-deposit', 'record', ...argv, '--json');
    },
    takeBack: (id) => operator('chain-deposit', 'take-back', id, '--reason', 'not there', '--json'),
    async paid(amount) {
      const address = await world.allocate(await world.account());
      const recorded = await world.record(address, amount);
      if (recorded.code !== 0) throw new Error(recorded.err);
      await world.release(address);
      return { id: await world.walletId(address), address };
    },
    async look(id) {
      return (await advance(api.services, chainDepositKind, id)).status;
    },
    async booked(account) {
      const [row] = await api.database.query<{ sum: string }>(
        `select coalesce(sum(available), 0)::float8::text as sum from ledger_legs where account_id = $1`,
        [account],
      );
      return row?.sum ?? '';
    },
    close: () => api.close(),
  };
  return world;
}

export async function expectOk(answer: ReturnType<Client['call']>): Promise<any> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}
