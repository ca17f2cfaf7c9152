import { type Address, type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { advanceGasOperation } from '../../../../src/chain/gas-station/operations/steps/advance';
import { fromUnits } from '../../../../src/chain/networks/rules';
import { findWallet } from '../../../../src/chain/wallets/operations';
import { newId } from '../../../../src/kernel/ids';
import { internalBalance } from '../../../../src/kernel/ledger/accounts';
import type { ChainAccount } from '../../../../src/kernel/ledger/entries';
import type { Decimal } from '../../../../src/kernel/money/money';
import type { Parties } from '../../../../src/parties/parties';
import { breaksOf as breaksOfSubject } from '../../../../src/process/breaks/operations';
import type { Services } from '../../../../src/services';
import { readChain } from '../../../../src/watch/chains/follow-blocks';
import { type Client, type TestWiring, testApi } from '../../../support/api';
import { startTestChain, type TestChain, type TestChainOptions } from '../../../support/chain';
import { withLocalNetwork } from '../../../support/networks';

export interface StationOptions {
  chain?: TestChainOptions;
  /** Overrides of the configuration. */
  config?: Record<string, unknown>;
  token?: { decimals?: number; feeBasisPoints?: number };
  /** Replaces the node's address. */
  nodes?: (url: string) => Promise<string[]>;
  wiring?: TestWiring;
}

export type TestStation = Awaited<ReturnType<typeof testStation>>;

const CONFIG = {
  gasThreshold: '0.001',
  gasTopupAmount: '0.002',
  minSweepAmount: { USDT: '1' },
  sweepConfirmations: 1,
  autoSweep: false,
  maxGasPrice: '10000',
  dailyGasBudget: '1000',
  sweepStrategy: null,
};

/** The API with a real chain, a station with 10 ETH and a treasury. */
export async function testStation(options: StationOptions = {}) {
  const chain = await startTestChain(options.chain ?? {});
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const api = await testApi({ now, ...options.wiring });
  const { decimals = 6 } = options.token ?? {};
  const token = await chain.token(options.token ?? {});
  await withLocalNetwork(api, chain, {
    token,
    decimals,
    confirmations: 1,
    rpcUrls: (await options.nodes?.(chain.url)) ?? [chain.url],
  });
  const admin = await api.client('admin');
  const treasury = privateKeyToAccount(generatePrivateKey()).address;
  const station = await posted(admin, '/v1/gas-station/wallet/generate', { chain: 'local' });
  await fundNative(chain, station.address, parseEther('10'));
  let version = 0;

  async function configure(change: Record<string, unknown>) {
    const body = { ...CONFIG, treasuryAddress: treasury, ...options.config, ...change, version };
    const { status, body: saved } = await admin.call('PUT', '/v1/gas-station/config/local', body);
    expect([status, saved]).toEqual([200, expect.anything()]);
    version = saved.version;
  }
  await configure({});

  return {
    api,
    admin,
    chain,
    token,
    treasury,
    decimals,
    configure,
    station: station.address as Address,
    services: api.services as Services,
    later: (ms: number) => {
      ahead += ms;
    },
    /** Creates pool wallets with token units and gas, which the tenant had once. */
    async wallets(count: number, units: bigint, gas = '0', tenantId = newId('tenant')) {
      const body = { chain: 'local', count };
      const made = (await posted(admin, '/v1/gas-station/generate', body)).data as {
        id: string;
        address: Address;
      }[];
      for (const { id, address } of made) {
        await allocatedOnce(api.services.database, id, tenantId);
        await chain.pay(token, address, units);
        await noteHeld(api.services.database, address, fromUnits(units, decimals));
        if (gas !== '0') await fundNative(chain, address, parseEther(gas));
      }
      if (options.chain?.blockTime === 'manual') await chain.client.mine({ blocks: 1 });
      return made;
    },
    sweep: (walletId: string) => posted(admin, '/v1/gas-station/operations', { walletId, asset: 'USDT' }),
    topup: (walletId: string, amount?: string) =>
      posted(admin, '/v1/gas-station/topup-operations', { walletId, ...(amount ? { amount } : {}) }),
    /** The failing checks of the preflight. */
    async failing(walletId: string): Promise<string[]> {
      const { body } = await admin.call('GET', `/v1/gas-station/sweep-preflight/${walletId}`);
      return body.checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
    },
    read: async (id: string) => (await admin.call('GET', `/v1/gas-station/operations/${id}`)).body,
    /** Leads an operation until it ends or waits for longer than the next block. */
    async lead(id: string, services: Services = api.services) {
      for (let looks = 0; ; looks += 1) {
        const progress = await advanceGasOperation(services, id);
        const inMs = (progress.lookAt ?? 0) - now().getTime();
        if (!progress.open || inMs > 20_000 || looks === 200) return progress;
        await new Promise(setImmediate);
      }
    },
    advance: (id: string, services: Services = api.services) => advanceGasOperation(services, id),
    /** Balance of the chain's addresses by the books. */
    held: async (name: 'pool' | 'treasury' | 'station' | 'gas', currency: string) => {
      const account: ChainAccount = `${name}@local`;
      return (await internalBalance(api.database, account, currency)).negated().toFixed();
    },
    lost: async (currency: string) =>
      (await internalBalance(api.database, 'losses', currency)).negated().toFixed(),
    tokens: (address: string) =>
      chain.client.readContract({
        address: token,
        abi: BALANCE_OF,
        functionName: 'balanceOf',
        args: [address as Address],
      }),
    async close() {
      await api.close();
      await chain.stop();
    },
  };
}

/** Marks a wallet as allocated once, and free again. */
const allocatedOnce = (sql: Services['database'], walletId: string, tenantId: string) =>
  sql.query(
    `with held as (update wallets set tenant_id = $3 where id = $2)
     insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, ended_at, created_at, updated_at)
     values ($1, $2, $3, $3, 'USDT', $4, now(), now(), now(), now())`,
    [newId('walletAllocation'), walletId, tenantId, newId('reference')],
  );

/** Notes the amount of a deposit that is not final. The books of the pool lack the amount until then. */
const noteHeld = (sql: Services['database'], address: string, amount: Decimal) =>
  sql.query(
    `insert into holding_changes (chain, cause, address, asset, place, amount, booked, block_number)
     values ('local', $1, $2, 'USDT', 'pool', $3, 0, 0)`,
    [newId('chainDeposit'), address, amount.toFixed()],
  );

const BALANCE_OF = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'of', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const;

export async function posted(client: Client, path: string, body: unknown, headers = {}): Promise<any> {
  const answer = await client.call('POST', path, body, headers);
  expect([path, answer.status, answer.body]).toEqual([path, expect.any(Number), expect.anything()]);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Sets the balance directly, without a block. */
export const fundNative = (chain: TestChain, address: string, value: bigint) =>
  chain.client.setBalance({ address: address as Address, value });

export interface Exported {
  chainId: number;
  nonce: number;
  from: Address;
  to: Address;
  value: string;
  data: Hex;
  gas: string;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
}

/**
 * Signs an export with its sender's key, as a person would, and executes it.
 * @returns the hash
 */
export async function execute({ services, chain }: TestStation, exported: Exported): Promise<Hex> {
  const wallet = await findWallet(services.database, 'local', exported.from);
  if (!wallet) throw new Error('no wallet of ours');
  const { value, gas, maxFeePerGas, maxPriorityFeePerGas } = exported;
  const { raw } = await services.parties.signer.sign(wallet.derivationIndex, {
    ...exported,
    value: BigInt(value),
    gas: BigInt(gas),
    maxFeePerGas: BigInt(maxFeePerGas),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  });
  const hash = await chain.client.sendRawTransaction({ serializedTransaction: raw as Hex });
  // The node answers before the block exists.
  if (await chain.client.getAutomine()) await chain.mined(hash);
  return hash;
}

/** Sends from any address of the test chain. */
export async function sendAs(
  chain: TestChain,
  from: string,
  transaction: { to: Address; value?: bigint; data?: Hex },
): Promise<Hex> {
  const account = from as Address;
  await chain.client.impersonateAccount({ address: account });
  const hash = await chain.client.sendTransaction({ account, gas: 100_000n, ...transaction });
  await chain.client.stopImpersonatingAccount({ address: account });
  return hash;
}

/** Services with a replaced party, for instance a failing chain or signer. */
export const withParties = <Given extends Services>(services: Given, parties: Partial<Parties>): Given => ({
  ...services,
  parties: { ...services.parties, ...parties },
});

/** Services that run work after signing, before the node returns its prices. */
export function onceSigned(services: Services, work: () => Promise<unknown>): Services {
  const { signer, chain } = services.parties;
  let isSigned = false;
  const signing: typeof signer = {
    ...signer,
    async sign(...given) {
      const signed = await signer.sign(...given);
      isSigned = true;
      return signed;
    },
  };
  const of: typeof chain.of = (address) => {
    const node = chain.of(address);
    const fees = async () => {
      if (isSigned) await work();
      return node.fees();
    };
    return { ...node, fees };
  };
  return withParties(services, { signer: signing, chain: { of } });
}

/** A sweep of a wallet with 4 USDT that pays its own gas. */
export async function sweepOfOne(
  world: TestStation,
  gas = '0.05',
): Promise<{ id: string; address: Address }> {
  const [wallet] = await world.wallets(1, 4_000_000n, gas);
  if (!wallet) throw new Error('no wallet was made');
  const { id } = await world.sweep(wallet.id);
  return { id, address: wallet.address };
}

/** Stops mining while the work runs. */
export async function withoutBlocks<T>({ chain }: TestStation, work: () => Promise<T>): Promise<T> {
  await chain.client.setAutomine(false);
  try {
    return await work();
  } finally {
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
  }
}

/** Mines a block that asks more than the operation's newest attempt offers, some time after the broadcast. */
export async function outbid(world: TestStation, id: string, ms: number): Promise<void> {
  const { client } = world.chain;
  world.later(ms);
  const offers = BigInt((await attempts(world, id)).at(-1)?.max_fee_per_gas ?? 0);
  await client.setNextBlockTimestamp({
    timestamp: BigInt(Math.ceil(world.services.now().getTime() / 1_000)),
  });
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: offers * 2n });
  await client.mine({ blocks: 1 });
}

/** All breaks of an operation, open or closed. */
export const breaksOf = async ({ services }: Pick<TestStation, 'services'>, id: string) =>
  (await breaksOfSubject(services.database, id, 100)).map(({ kind, detail, resolvedAt }) => ({
    kind,
    detail,
    open: resolvedAt === null,
  }));

/** The stored attempts of an operation. */
export const attempts = ({ services }: Pick<TestStation, 'services'>, id: string) =>
  services.database.query<{
    address: string;
    nonce: string;
    attempt: number;
    hash: Hex | null;
    gas: string;
    max_fee_per_gas: string;
    max_priority_fee_per_gas: string;
    raw: Hex | null;
    broadcast_at: Date | null;
    released_at: Date | null;
  }>('select * from chain_nonces where operation_id = $1 order by number', [id]);

/** Gas used × price of transactions, by their receipts. */
export async function feesOf(chain: TestChain, hashes: readonly Hex[]): Promise<bigint> {
  const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)));
  return receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n);
}

/** Formats units as a decimal of the ledger. */
export const ether = (units: bigint): string => {
  const digits = `${units / 10n ** 18n}.${(units % 10n ** 18n).toString().padStart(18, '0')}`;
  return digits.replace(/\.?0+$/, '');
};

/** The inverse of {@link ether}. */
export const unitsOf = (text: string): bigint => {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(18, '0'));
};

/**
 * Reads all blocks of the chain as its watcher does.
 * @returns how many station top-ups were booked
 */
export async function readBlocks(services: Services, chain = 'local'): Promise<number> {
  const booked = async () => (await services.database.query('select 1 from station_topups')).length;
  const before = await booked();
  while ((await readChain(services, chain)) !== 'rests');
  return (await booked()) - before;
}

/** @returns the statuses of the deposits to an address, the oldest first */
export async function depositStatuses({ database }: Services, address: string): Promise<string[]> {
  const rows = await database.query<{ status: string }>(
    `select status from transfers where kind = 'chain_deposit' and terms ->> 'address' = $1 order by id`,
    [address],
  );
  return rows.map(({ status }) => status);
}
