import pino from 'pino';
import type { Hex } from 'viem';
import { deploymentOf } from '../../../../src/chain/gas-station/strategies/delegate';
import type { Sweep, SweepParties } from '../../../../src/chain/gas-station/strategies/port';
import { NO_OBSERVERS } from '../../../../src/kernel/metrics/observers';
import { createChains } from '../../../../src/parties/chain/create';
import type { Call, ChainTransaction, UnsignedTransaction } from '../../../../src/parties/chain/port';
import { createLocalSigner } from '../../../../src/parties/signer/local';
import { startTestChain, type TestChainOptions } from '../../../support/chain';
import { testDatabase } from '../../../support/database';
import { seedKeys, testKeyring } from '../../../support/keyring';

/** The treasury of these tests. */
export const TREASURY = '0x00000000000000000000000000000000000000A1';

export type Mined = Extract<ChainTransaction, { status: 'succeeded' | 'reverted' }>;

export type SweepWorld = Awaited<ReturnType<typeof sweepWorld>>;

/** A chain with the local signer's wallets. The first is the station, and has coins for gas. */
export async function sweepWorld(options: TestChainOptions = {}) {
  const [chain, db] = [await startTestChain(options), await testDatabase()];
  const signer = createLocalSigner({
    database: db.database,
    ...seedKeys(testKeyring(Buffer.alloc(32, 7))),
  });
  const node = createChains({
    log: pino({ level: 'silent' }),
    observers: NO_OBSERVERS,
    now: () => new Date(),
  }).of({ chain: 'local', kind: 'evm', chainId: chain.chainId, rpcUrls: [chain.url] });
  const { chainId } = chain;
  const places = new Map<string, number>();
  const parties: SweepParties = {
    node,
    chain: 'local',
    chainId,
    feeModel: 'evm',
    authorize: (wallet, given) => signer.signAuthorization(places.get(wallet) ?? -1, { ...given, chainId }),
  };
  const [station = ''] = await signer.addresses('evm', [0]);
  await chain.pay(null, station, 10n ** 20n);

  /** Signs and sends as the wallet with this index. */
  async function send(index: number, call: Call, gas?: bigint): Promise<Mined> {
    const transaction: UnsignedTransaction = {
      ...call,
      chainId: chain.chainId,
      nonce: await node.nonce(call.from),
      gas: gas ?? (await node.estimateGas(call)),
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    };
    const { raw } = await signer.sign(index, transaction);
    const { hash } = await node.broadcast(raw);
    await chain.mined(hash as Hex);
    return (await node.transaction(hash)) as Mined;
  }

  return {
    chain,
    signer,
    node,
    parties,
    station,
    send,
    /** Deploys the contract of the treasury and the station. */
    deploy: () => send(0, { from: station, value: 0n, ...deploymentOf({ treasury: TREASURY, station }) }),
    /**
     * The sweep of the wallet with this index.
     * @param units that it is given first
     */
    async sweep(index: number, token: string, units: bigint): Promise<Sweep> {
      const [address = ''] = await signer.addresses('evm', [index]);
      if (units > 0n) await chain.pay(token as Hex, address, units);
      places.set(address, index);
      return {
        wallet: address,
        token,
        units: await node.balance(address, token),
        treasury: TREASURY,
        station,
      };
    },
    async stop() {
      await chain.stop();
      await db.drop();
    },
  };
}
