/** @long sweeps 200 wallets on a real node. */
import type { Address, Hex } from 'viem';
import { compareChain } from '../../../../src/chain/reconciliation/compare';
import { internalBalance } from '../../../../src/kernel/ledger/accounts';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { ether } from '../operations/support';
import { type ManyWallets, manyWallets, type Strategy, sweepAll } from './many';

/** More wallets than one batch of delegated sweeps holds. */
describe.each<[Strategy, { count: number; topups: number }]>([
  ['transfer', { count: 200, topups: 200 }],
  ['delegated', { count: 120, topups: 0 }],
])('sweeps of many wallets, eight at a time, by the strategy %s', (strategy, { count, topups }) => {
  let world: ManyWallets;
  beforeAll(async () => {
    world = await manyWallets(strategy, count);
    await sweepAll(world);
    await world.on.read();
  });
  afterAll(() => world.on.close());

  const sql = <Row>(text: string, values: unknown[] = []) =>
    world.on.api.database.query<Row & object>(text, values);
  const booked = async (place: 'pool' | 'treasury' | 'gas', currency: string) =>
    (await internalBalance(world.on.api.database, `${place}@local`, currency)).negated().toFixed();

  it('move every payment to the treasury once, by the chain and by the books', async () => {
    const { node, treasury, on, wallets, paid } = world;
    expect(await node.balance(treasury, on.token)).toBe(paid);
    expect(await booked('treasury', 'USDT')).toBe(ether(paid * 10n ** 12n));
    expect(await booked('pool', 'USDT')).toBe('0');
    expect(new Set(await node.balances(wallets, on.token))).toEqual(new Set([0n]));
    const moved = await sql<{ units: string }>(
      `select sum(moved_units)::text as units from gas_operations where type = 'sweep'`,
    );
    expect(moved).toEqual([{ units: String(paid) }]);
  });

  it('have one operation at a time for each wallet, and no failed one', async () => {
    const made = await sql(
      `select type, status, count(*)::int as made, count(distinct wallet_id)::int as wallets from gas_operations group by 1, 2 order by 1`,
    );
    const whole = (type: string) => ({ type, status: 'completed', made: count, wallets: count });
    expect(made).toEqual([whole('sweep'), ...(topups > 0 ? [whole('topup')] : [])]);
    const together = await sql(
      `select one.id, other.id from gas_operations one join gas_operations other using (wallet_id)
        where one.id < other.id
          and tstzrange(one.created_at, one.updated_at) && tstzrange(other.created_at, other.updated_at)`,
    );
    expect(together).toEqual([]);
  });

  it('use contiguous nonces, each once', async () => {
    const { node, station, on } = world;
    const given = await sql<{ address: string; nonces: number[] }>(
      `select address, array_agg(nonce::int order by nonce, attempt) as nonces from chain_nonces where released_at is null group by 1`,
    );
    for (const { address, nonces } of given) {
      const sent = await on.chain.client.getTransactionCount({ address: address as Address });
      // A delegation uses a nonce of the wallet, which the station does not give out.
      expect([address, nonces]).toEqual([address, Array.from({ length: sent }, (_, place) => place)]);
    }
    const senders = given.map(({ address }) => address);
    expect(senders).toHaveLength(topups + 1);
    expect(senders).toContain(station);
    expect(await node.nonce(station)).toBe(topups > 0 ? topups : (await batches()).length);
  });

  const batches = () => sql('select distinct tx_hash from gas_operations');

  it('cost exactly what the receipts say', async () => {
    expect(await booked('gas', 'ETH')).toBe(ether(await feesOnChain(world)));
    expect(await sql('select subject, kind from breaks where resolved_at is null')).toEqual([]);
  });

  it('leave books that agree with the chain and a correct ledger', async () => {
    const { lines } = await compareChain(world.on.api.services, 'local');
    expect(lines.filter(({ difference }) => !difference.isZero())).toEqual([]);
    expect(lines.map(({ place, asset }) => `${place} ${asset}`)).toContain('treasury USDT');
    expect(await checkLedger(world.on.api.database)).toEqual([]);
  });
});

/** Fees of all transactions from our addresses, by the blocks. */
async function feesOnChain({ on, station, wallets }: ManyWallets): Promise<bigint> {
  const { client } = on.chain;
  const ours = new Set([station, ...wallets].map((address) => address.toLowerCase()));
  const head = await client.getBlockNumber();
  let fees = 0n;
  for (let number = 1n; number <= head; number += 1n) {
    const params = [`0x${number.toString(16)}`];
    const receipts: Receipt[] = await client.request({ method: 'eth_getBlockReceipts', params } as never);
    for (const { from, gasUsed, effectiveGasPrice } of receipts)
      if (ours.has(from)) fees += BigInt(gasUsed) * BigInt(effectiveGasPrice);
  }
  return fees;
}

type Receipt = Record<'from' | 'gasUsed' | 'effectiveGasPrice', Hex>;
