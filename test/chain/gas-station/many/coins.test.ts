/** @long */
import { compareChain } from '../../../../src/chain/reconciliation/compare';
import { internalBalance } from '../../../../src/kernel/ledger/accounts';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { Decimal } from '../../../../src/kernel/money/money';
import type { FeeModel } from '../../../../src/parties/chain/port';
import type { Client } from '../../../support/api';
import { ether } from '../operations/support';
import { ARBITRUM_GAS, arbitrumChain, OP_FEE, opChain } from './below';
import { type ManyOptions, type ManyWallets, manyWallets, sweepAll } from './many';

/** Networks whose coin the ledger learns from their configuration, with and without a chain below. */

const TOKENS = 1;

const CHAINS: [string, FeeModel, ManyOptions][] = [
  ['BNB', 'evm', {}],
  ['MNTL', 'op', { family: 'optimism', before: opChain, alone: true }],
  ['POL', 'arbitrum', { before: arbitrumChain, alone: true }],
];

describe.each(CHAINS)('a network of %s with the fee model %s', (coin, feeModel, options) => {
  let world: ManyWallets;
  let admin: Client;
  beforeAll(async () => {
    world = await manyWallets('transfer', TOKENS, {
      ...options,
      coin,
      network: { feeModel },
    });
    admin = await world.on.api.client('admin');
  });
  afterAll(() => world.on.close());

  const sql = <Row>(text: string) => world.on.api.database.query<Row & object>(text);
  const booked = async (place: 'pool' | 'treasury' | 'gas' | 'station') =>
    (await internalBalance(world.on.api.database, `${place}@local`, coin)).negated();

  it('credits a payment of the coin', async () => {
    expect(await world.on.available(await world.on.account(coin))).toBe('2');
    expect(await booked('pool')).toEqual(new Decimal(2));
  });

  it('holds the price of gas and the data fee under one cap', async () => {
    const { body: before } = await admin.call('GET', '/v1/gas-station/config/local');
    const capped = { maxGasPrice: '20', version: before.version };
    expect((await admin.call('PUT', '/v1/gas-station/config/local', capped)).status).toBe(200);
    const [wallet] = await sql<{ id: string }>(
      `select id from wallets where purpose = 'pool' order by derivation_index limit 1`,
    );
    const path = `/v1/gas-station/sweep-preflight/${wallet!.id}`;
    const { body } = await admin.call('GET', path);
    const cap = body.checks.find(({ name }: { name: string }) => name === 'fee_cap');
    expect(cap.ok).toBe(feeModel !== 'op');
    const widened = { maxGasPrice: '10000', version: before.version + 1 };
    expect((await admin.call('PUT', '/v1/gas-station/config/local', widened)).status).toBe(200);
  });

  it('tops up, sweeps and books without a difference', async () => {
    await sweepAll(world);
    await world.on.read();
    const made = await sql(
      `select type, asset, status, count(*)::int as made from gas_operations group by 1, 2, 3 order by 1, 2`,
    );
    expect(made).toEqual(
      [
        { type: 'sweep', asset: coin, status: 'completed', made: 1 },
        { type: 'sweep', asset: 'USDT', status: 'completed', made: TOKENS },
        { type: 'topup', asset: coin, status: 'completed', made: TOKENS },
      ].sort((one, other) => (one.type + one.asset < other.type + other.asset ? -1 : 1)),
    );
    const { lines } = await compareChain(world.on.api.services, 'local');
    expect(lines.filter(({ difference }) => !difference.isZero())).toEqual([]);
    expect(lines.map(({ place, asset }) => `${place} ${asset}`)).toContain(`treasury ${coin}`);
    expect(await checkLedger(world.on.api.database)).toEqual([]);
    expect(await sql('select subject, kind from breaks where resolved_at is null')).toEqual([]);
  });

  it('plans and books what the chain below takes', async () => {
    const attempts = await sql<{ gas: string; data_fee: string; hash: `0x${string}` }>(
      'select gas, data_fee, hash from chain_nonces where hash is not null',
    );
    expect(new Set(attempts.map(({ data_fee }) => BigInt(data_fee)))).toEqual(
      new Set([feeModel === 'op' ? 2n * OP_FEE : 0n]),
    );
    const receipts = await Promise.all(attempts.map(({ hash }) => world.on.chain.receipt(hash)));
    const gas = receipts.reduce((sum, each) => sum + each.gasUsed * each.effectiveGasPrice, 0n);
    const fees = await booked('gas');
    if (feeModel === 'op') expect(fees.gt(ether(gas))).toBe(true);
    else expect(fees.toFixed()).toBe(ether(gas));
    for (const [place, { gasUsed }] of receipts.entries())
      expect(BigInt(attempts[place]!.gas) - gasUsed >= (feeModel === 'arbitrum' ? ARBITRUM_GAS : 0n)).toBe(
        true,
      );
  });

  it('is configured with the fee model that its contracts show', async () => {
    const { body } = await admin.call('GET', '/v1/networks/local');
    expect(body).toMatchObject({ feeModel, assets: [{ symbol: 'USDT' }, { symbol: coin }] });
    const other = feeModel === 'evm' ? 'op' : 'evm';
    const put = (model: string) =>
      admin.call('PUT', '/v1/networks/local', { feeModel: model, version: body.version });
    expect(await put(other)).toMatchObject({ status: 400, body: { field: 'feeModel' } });
    expect(await put(feeModel)).toMatchObject({ status: 200, body: { feeModel } });
  });
});
