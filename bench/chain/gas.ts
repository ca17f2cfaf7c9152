import pino from 'pino';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { deploymentOf } from '../../src/chain/gas-station/strategies/delegate';
import { batchOf, delegated, MAX_OF_BATCH } from '../../src/chain/gas-station/strategies/delegated';
import type { Sweep, SweepParties } from '../../src/chain/gas-station/strategies/port';
import { transfer } from '../../src/chain/gas-station/strategies/transfer';
import { NO_OBSERVERS } from '../../src/kernel/metrics/observers';
import { createChains } from '../../src/parties/chain/create';
import type { Call } from '../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../test/support/chain';

/** Sizes of a batch, up to the maximum. */
const WALLETS = [1, 8, 50, MAX_OF_BATCH];
const UNITS = 5_000_000n;
/** Number of sweeps that a top-up pays for. */
const SWEEPS_OF_TOPUP = 10n;
const SWEEPS = ['first', 'second', 'third'] as const;

/**
 * Measures the gas of a swept wallet for each strategy on one real node, by the receipts of all transactions of a
 * sweep. Wallets are new to the chain and are swept three times. The treasury already has some of the token. The gas is
 * the same in each run, except for zero bytes in addresses.
 */
export async function benchSweeps(): Promise<void> {
  const chain = await startTestChain();
  try {
    const world = await createWorld(chain);
    console.table(await measured(world));
    console.log(`the contract, once a treasury and station: ${world.deployment} gas`);
  } finally {
    await chain.stop();
  }
}

type World = Awaited<ReturnType<typeof createWorld>>;
type Measure = (wallets: PrivateKeyAccount[]) => Promise<bigint>;

async function createWorld(chain: TestChain) {
  const [station, treasury] = [newAccount(), newAccount().address];
  const keys = new Map<string, PrivateKeyAccount>();
  const requireKey = (wallet: string) => {
    const account = keys.get(wallet);
    if (!account) throw new Error('the bench has no such wallet');
    return account;
  };
  const parties: SweepParties = {
    node: createChains({
      log: pino({ level: 'silent' }),
      observers: NO_OBSERVERS,
      now: () => new Date(),
    }).of({ chain: 'local', kind: 'evm', chainId: chain.chainId, rpcUrls: [chain.url] }),
    chain: 'local',
    chainId: chain.chainId,
    feeModel: 'evm',
    // The bench's own keys. The signature is what a wallet of ours would sign.
    async authorize(wallet, { contract, nonce }) {
      const given = { chainId: chain.chainId, nonce, contractAddress: contract as Hex };
      const { yParity = 0, r, s } = await requireKey(wallet).signAuthorization(given);
      return { chainId: chain.chainId, contract, nonce, yParity, r, s };
    },
  };
  await chain.pay(null, station.address, 10n ** 21n);
  const token = await chain.token();
  await chain.pay(token, treasury, UNITS);

  async function send(
    account: PrivateKeyAccount,
    { to, value, data, authorizations = [] }: Call,
    gas?: bigint,
  ) {
    const authorizationList = authorizations.map(({ contract, r, s, ...rest }) => ({
      ...rest,
      address: contract as Hex,
      r: r as Hex,
      s: s as Hex,
    }));
    const hash = await chain.client.sendTransaction({
      account,
      to: to as Hex,
      value,
      data: data as Hex,
      ...(gas !== undefined && { gas }),
      ...(authorizationList.length > 0 ? { authorizationList } : {}),
    });
    const { gasUsed, status } = await chain.mined(hash);
    if (status !== 'success') throw new Error('a transaction of the bench was reverted');
    return gasUsed;
  }

  const sweepOf = ({ address: wallet }: PrivateKeyAccount): Sweep => ({
    wallet,
    token,
    units: UNITS,
    treasury,
    station: station.address,
  });
  const given = { treasury, station: station.address };
  const deployment = await send(station, { from: station.address, value: 0n, ...deploymentOf(given) });
  return {
    chain,
    parties,
    station,
    token,
    send,
    sweepOf,
    deployment,
    newWallets: (count: number) =>
      Array.from({ length: count }, () => {
        const account = newAccount();
        keys.set(account.address, account);
        return account;
      }),
  };
}

const newAccount = () => privateKeyToAccount(generatePrivateKey());

async function measured(world: World) {
  const { ofTransfers, ofDelegated, ofBatch } = measures(world);
  const baseline = await threeTimes(world, 1, ofTransfers(1n));
  const rows = [{ strategy: 'transfer', wallets: 1, ...baseline }];
  const longer = await threeTimes(world, 1, ofTransfers(SWEEPS_OF_TOPUP));
  rows.push({ strategy: `transfer, a top-up lasts ${SWEEPS_OF_TOPUP} sweeps`, wallets: 1, ...longer });
  const one = await threeTimes(world, 1, ofDelegated);
  rows.push({ strategy: 'delegated', wallets: 1, ...one });
  for (const wallets of WALLETS)
    rows.push({ strategy: 'delegated, a batch', wallets, ...(await threeTimes(world, wallets, ofBatch)) });
  return rows.map((row) => ({
    ...row,
    'first, of transfer': shareOf(row.first, baseline.first),
    'third, of transfer': shareOf(row.third, baseline.third),
  }));
}

const shareOf = (gas: number, baseline: number): string => `${Math.round((100 * gas) / baseline)} %`;

/** Gas of each wallet, for three sweeps of the same wallets. */
async function threeTimes(world: World, count: number, measure: Measure) {
  const wallets = world.newWallets(count);
  const gas = { first: 0, second: 0, third: 0 };
  for (const which of SWEEPS) {
    for (const { address } of wallets) await world.chain.pay(world.token, address, UNITS);
    gas[which] = Math.round(Number(await measure(wallets)) / count);
    const left = await world.parties.node.balances(
      wallets.map(({ address }) => address),
      world.token,
    );
    if (left.some((units) => units > 0n)) throw new Error('a wallet of the bench was not swept');
  }
  return gas;
}

function measures({ parties, station, send, sweepOf }: World) {
  const sum = async (wallets: PrivateKeyAccount[], each: Measure) => {
    let gas = 0n;
    for (const wallet of wallets) gas += await each([wallet]);
    return gas;
  };
  const ofTransfers =
    (sweepsOfTopup: bigint): Measure =>
    (wallets) =>
      sum(wallets, async ([wallet]) => {
        const [account, value] = [wallet as PrivateKeyAccount, 10n ** 16n];
        const topup = await send(station, {
          from: station.address,
          to: account.address,
          value,
          data: '0x',
        });
        return (
          topup / sweepsOfTopup + (await send(account, await transfer.callOf(parties, sweepOf(account))))
        );
      });
  const ofDelegated: Measure = (wallets) =>
    sum(wallets, async ([wallet]) =>
      send(station, await delegated.callOf(parties, sweepOf(wallet as PrivateKeyAccount))),
    );
  const ofBatch: Measure = async (wallets) => {
    const { batch } = await batchOf(parties, wallets.map(sweepOf));
    if (batch?.sweeps.length !== wallets.length)
      throw new Error('a sweep of the bench is refused, or does not fit');
    // The node refuses a gas limit above that of one transaction (EIP-7825).
    console.log(`a batch of ${wallets.length}: a gas limit of ${batch.gas}`);
    return send(station, batch.call, batch.gas);
  };
  return { ofTransfers, ofDelegated, ofBatch };
}
