import type { Hex } from 'viem';
import { openMasterAccount } from '../../../src/accounts/accounts/operations';
import type { NetworkTerms } from '../../../src/chain/networks/operations';
import { deriveWallets } from '../../../src/chain/wallets/operations';
import { newId } from '../../../src/kernel/ids';
import { Decimal } from '../../../src/kernel/money/money';
import type { Keyring } from '../../../src/kernel/security/keyring';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import { createTurn } from '../../../src/watch/chains/watch';
import { type Client, type TestApi, testApi } from '../../support/api';
import { startTestChain, type TestChain, type TestChainOptions } from '../../support/chain';
import { type LocalNetwork, withLocalNetwork } from '../../support/networks';

export interface World extends LocalNetwork {
  api: TestApi;
  chain: TestChain;
  client: Client;
  /** Creates an account of the client, or of another one, in USDT by default. */
  account(currency?: string, of?: Client): Promise<string>;
  /** A pool wallet allocated for an account, or for nobody. */
  wallet(accountId?: string): Promise<string>;
  /** Runs the steps of the workflows that were told to look. */
  looks(): Promise<void>;
  /** Lets all deposits look again. */
  lookAgain(): Promise<void>;
  /** Reads the chain as far as it goes, and lets the told deposits look. */
  read(): Promise<void>;
  turn: ReturnType<typeof createTurn>;
  /**
   * One transaction that brings 2 and 3 USDT.
   * @returns its hash
   */
  payTwice(address: string): Promise<Hex>;
  available(accountId: string): Promise<string>;
  deposits(): Promise<ShownDeposit[]>;
  /** Balance of an internal account. */
  booked(account: string): Promise<string>;
  close(): Promise<void>;
}

export interface ShownDeposit {
  id: string;
  status: string;
  failure: string | null;
  account: string | null;
  word: { state: string; blockNumber: number; logIndex: number | null } | null;
  terms: Record<string, unknown>;
}

export interface WorldOptions extends TestChainOptions {
  network?: Partial<NetworkTerms> & { decimals?: number; coin?: string };
  /**
   * A node that is asked first.
   * @param url of the real node
   */
  before?: (url: string) => Promise<string>;
  /** Only that node. */
  alone?: boolean;
  /** The installation's keyring, when the command line must open its secrets. */
  keyring?: Keyring;
  /** The product's time. */
  now?: () => Date;
}

/** A real chain that mines each transaction at once, its network, and the API. The pool is empty. */
export async function openWorld({
  network,
  before,
  alone,
  keyring,
  now,
  ...options
}: WorldOptions = {}): Promise<World> {
  const wiring = { ...(keyring ? { keyring } : {}), ...(now ? { now } : {}) };
  const [api, chain] = await Promise.all([testApi(wiring), startTestChain(options)]);
  const { services, database } = api;
  const rpcUrls = [...(before ? [await before(chain.url)] : []), ...(alone ? [] : [chain.url])];
  const local = await withLocalNetwork(api, chain, { rpcUrls, ...network });
  const client = await api.client();
  const turn = createTurn(services, 'local');
  let looked = 0;

  async function looks(): Promise<void> {
    while (looked < api.commands.length) {
      const told = api.commands.slice(looked).filter(({ workflow }) => workflow === 'chainDeposit');
      looked = api.commands.length;
      for (const id of new Set(told.map(({ args }) => String(args[0]))))
        await advance(services, chainDepositKind, id);
    }
  }

  return {
    api,
    chain,
    client,
    turn,
    looks,
    ...local,
    account: (currency = 'USDT', of = client) => accountOf(api, of, currency),
    wallet: (accountId) => walletFor(api, client, accountId),
    async lookAgain() {
      const rows = await database.query<{ id: string }>(
        `select id from transfers where kind = 'chain_deposit'`,
      );
      for (const { id } of rows) await advance(services, chainDepositKind, id);
    },
    async read() {
      do await looks();
      while ((await turn()) !== 'rests');
      await looks();
    },
    async payTwice(address) {
      const payer = await chain.deploy('TestPayer');
      await chain.mined(await chain.write(local.token, 'TestUsdt', 'approve', [payer, 10n ** 12n]));
      const given = [local.token, address, 2_000_000n, 3_000_000n];
      const hash = await chain.write(payer, 'TestPayer', 'payTwice', given);
      await chain.mined(hash);
      return hash;
    },
    async available(accountId) {
      const text = 'select available::text as available from ledger_accounts where id = $1';
      const [row] = await database.query<{ available: string }>(text, [accountId]);
      return new Decimal(row?.available ?? 0).toFixed();
    },
    deposits: () =>
      database.query<ShownDeposit>(
        `select id, status, failure, account_id as account, word, terms from transfers where kind = 'chain_deposit' order by id`,
      ),
    async booked(account) {
      const [row] = await database.query<{ sum: string }>(
        'select coalesce(sum(available), 0)::text as sum from ledger_legs where account_id = $1',
        [account],
      );
      return new Decimal(row?.sum ?? 0).toFixed();
    },
    async close() {
      await Promise.all([api.close(), chain.stop()]);
    },
  };
}

async function accountOf(api: TestApi, client: Client, currency: string): Promise<string> {
  const text = `select id from accounts where tenant_id = $1 and currency = $2 limit 1`;
  const [found] = await api.database.query<{ id: string }>(text, [client.clientId, currency]);
  if (found) return found.id;
  return (await api.database.transaction((tx) => openMasterAccount(tx, client.clientId, currency))).account
    .id;
}

async function walletFor(api: TestApi, client: Client, accountId: string | undefined): Promise<string> {
  const { services, database } = api;
  const network = { chain: 'local', kind: 'evm' as const, count: 1, purpose: 'pool' as const };
  const [wallet] = await database.transaction((tx) => deriveWallets(services, tx, network));
  if (!wallet) throw new Error('no wallet was derived');
  if (accountId !== undefined)
    await allocated(api, { walletId: wallet.id, tenantId: client.clientId, accountId });
  return wallet.address;
}

/** Allocates directly, like `allocate`. */
async function allocated(
  { database }: TestApi,
  { walletId, tenantId, accountId }: { walletId: string; tenantId: string; accountId: string },
): Promise<void> {
  const id = newId('walletAllocation');
  await database.query(`update wallets set status = 'allocated', tenant_id = $2 where id = $1`, [
    walletId,
    tenantId,
  ]);
  await database.query(
    `insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, created_at, updated_at)
     select $1, $2, $3, $4, 'USDT', $5, now() - interval '1 hour', now(), now()`,
    [id, walletId, tenantId, accountId, id],
  );
}
