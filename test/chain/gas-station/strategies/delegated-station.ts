import type { Address, Hex } from 'viem';
import { delegateAddress, deploymentOf } from '../../../../src/chain/gas-station/strategies/delegate';
import type { TestChain } from '../../../support/chain';
import { ether, feesOf, type TestStation, testStation } from '../operations/support';

/** The time that sweeps wait to share a batch, and a little more. */
export const GATHERED_MS = 6_000;

/** Deploys the contract that the station's wallets delegate to. */
export async function deployDelegate(
  chain: TestChain,
  of: { treasury: Address; station: Address },
): Promise<void> {
  const { to, data } = deploymentOf(of);
  await chain.mined(await chain.client.sendTransaction({ to, data }));
}

/** A station whose wallets are swept by delegation. */
export async function delegatedStation(): Promise<TestStation> {
  const world = await testStation({ config: { autoSweep: true, sweepStrategy: 'delegated' } });
  await deployDelegate(world.chain, world);
  return world;
}

export const contractOf = (world: TestStation): string => delegateAddress(world);

export const openOf = async (world: TestStation) =>
  (await world.admin.call('GET', '/v1/gas-station/operations')).body.data as {
    id: string;
    type: string;
    strategy: string;
    station: string;
  }[];

/** The operation that owns each operation's transaction. */
export async function batchesOf(
  world: TestStation,
  operations: readonly { id: string }[],
): Promise<string[]> {
  const read = await Promise.all(operations.map(({ id }) => world.read(id)));
  return read.map(({ batchOf }) => batchOf ?? null);
}

/** Leads all operations to their end, each by its own workflow. */
export async function ended(world: TestStation, operations: readonly { id: string }[]): Promise<void> {
  for (let rounds = 0; rounds < 12; rounds += 1) {
    world.later(GATHERED_MS);
    const progress = await Promise.all(operations.map(({ id }) => world.advance(id)));
    if (progress.every(({ open }) => !open)) return;
  }
}

/** @returns their hashes */
export async function completed(
  world: TestStation,
  operations: readonly { id: string }[],
): Promise<Set<string>> {
  await ended(world, operations);
  const hashes = new Set<string>();
  for (const { id } of operations) {
    const { status, txHash, waitsFor } = await world.read(id);
    expect({ status, waitsFor }).toEqual({ status: 'completed', waitsFor: undefined });
    hashes.add(txHash);
  }
  return hashes;
}

/** Expects that the station's booked fees equal the chain's, to the wei. */
export async function booksHold(world: TestStation): Promise<void> {
  const rows = await hashesOf(world);
  const fees = await feesOf(world.chain, rows);
  expect(await world.held('gas', 'ETH')).toBe(ether(fees));
  expect(await world.held('station', 'ETH')).toBe(`-${ether(fees)}`);
}

/** Hashes of executed transactions. Replaced ones are in no block. */
const hashesOf = async ({ services }: TestStation): Promise<Hex[]> => {
  const executed = 'select distinct tx_hash as hash from gas_operations where executed_at is not null';
  return (await services.database.query<{ hash: Hex }>(executed)).map(({ hash }) => hash);
};
