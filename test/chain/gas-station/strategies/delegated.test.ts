import {
  delegateAddress,
  delegationTo,
  sweepAllData,
  sweepData,
} from '../../../../src/chain/gas-station/strategies/delegate';
import { batchOf, canDelegate, delegated } from '../../../../src/chain/gas-station/strategies/delegated';
import type { Sweep } from '../../../../src/chain/gas-station/strategies/port';
import { transfer } from '../../../../src/chain/gas-station/strategies/transfer';
import type { Call } from '../../../../src/parties/chain/port';
import { type SweepWorld, sweepWorld, TREASURY } from './support';

describe('sweeps of wallets that have delegated to the contract', () => {
  let world: SweepWorld;
  beforeAll(async () => {
    world = await sweepWorld();
    await world.deploy();
  });
  afterAll(() => world.stop());

  const contract = () => delegateAddress({ treasury: TREASURY, station: world.station });
  const moved = (transfers: { from: string; to: string; units: bigint }[]) =>
    transfers.map(({ from, to, units }) => ({ from, to, units }));

  it('need the contract and a chain that knows EIP-7702', async () => {
    const of = { treasury: TREASURY, station: world.station };
    expect(await canDelegate(world.node, world.chain.chainId, of)).toBe(true);
    expect(await canDelegate(world.node, world.chain.chainId, { ...of, station: TREASURY })).toBe(false);
  });

  it('move the whole balance of a wallet without native coin, and cost less than a transfer from the second on', async () => {
    const token = await world.chain.token();
    await world.chain.pay(token, TREASURY, 1n);
    const gas: bigint[] = [];
    for (const units of [5_000_000n, 7_500_000n]) {
      const sweep = await world.sweep(1, token, units);
      const call = await delegated.callOf(world.parties, sweep);
      const mined = await world.send(0, call);
      expect(mined).toMatchObject({ status: 'succeeded', from: world.station });
      expect(moved(mined.transfers)).toEqual([{ from: sweep.wallet, to: TREASURY, units }]);
      expect(await world.node.balances([sweep.wallet], token)).toEqual([0n]);
      gas.push(mined.gasUsed);
    }
    const again = await world.sweep(1, token, 1n);
    expect((await delegated.callOf(world.parties, again)).authorizations).toEqual([]);

    const other = await world.sweep(2, token, 5_000_000n);
    await world.chain.pay(null, other.wallet, 10n ** 16n);
    const plain = await world.send(2, await transfer.callOf(world.parties, other));
    expect(moved(plain.transfers)).toEqual([{ from: other.wallet, to: TREASURY, units: 5_000_000n }]);
    const TOP_UP = 21_000n;
    expect(gas[1]).toBeLessThan(plain.gasUsed + TOP_UP);
  });

  it('move many at once; a wallet whose token refuses is skipped', async () => {
    const token = await world.chain.token();
    const sweeps = [];
    for (const index of [10, 11, 12]) sweeps.push(await world.sweep(index, token, BigInt(index)));
    const short = { ...(await world.sweep(13, token, 5n)), units: 6n };
    const { batch, refused } = await batchOf(world.parties, [...sweeps, short]);
    expect(refused).toEqual([short]);
    const mined = await world.send(0, batch?.call as Call);
    expect(moved(mined.transfers)).toEqual(
      sweeps.map(({ wallet, units }) => ({ from: wallet, to: TREASURY, units })),
    );
    expect(await world.node.balance(short.wallet, token)).toBe(5n);

    // Wallets that fail within the transaction: one delegates to nothing, one to another contract that refuses.
    const [first, second, third] = sweeps as [Sweep, Sweep, Sweep];
    const addresses = sweeps.map(({ wallet }) => wallet);
    await leaveTo(10, '0x0000000000000000000000000000000000000000');
    await leaveTo(11, token);
    for (const { wallet } of sweeps) await world.chain.pay(token, wallet, 4n);
    const parts = sweeps.map(({ wallet }) => ({ wallet, units: 4n }));
    const data = sweepAllData(token, parts, 100_000n);
    const direct = await world.send(0, { from: world.station, to: contract(), value: 0n, data });
    expect(direct.status).toBe('succeeded');
    expect(moved(direct.transfers)).toEqual([{ from: third.wallet, to: TREASURY, units: 4n }]);
    expect(await world.node.balances(addresses, token)).toEqual([4n, 4n, 0n]);

    // The next sweep delegates them again.
    const back = await batchOf(world.parties, [
      { ...first, units: 4n },
      { ...second, units: 4n },
    ]);
    expect(back.batch?.call.authorizations).toHaveLength(2);
    await world.send(0, back.batch?.call as Call);
    expect(await world.node.balances(addresses, token)).toEqual([0n, 0n, 0n]);
  });

  it('give every wallet of a batch its gas or revert, so that none fails for too little', async () => {
    const token = await world.chain.token();
    const sweeps = [await world.sweep(20, token, 1n), await world.sweep(21, token, 1n)];
    const { batch } = await batchOf(world.parties, sweeps);
    const enough = await world.node.estimateGas(batch?.call as Call);
    const mined = await world.send(0, batch?.call as Call, enough - 40_000n);
    expect(mined.status).toBe('reverted');
    const addresses = sweeps.map(({ wallet }) => wallet);
    expect(await world.node.balances(addresses, token)).toEqual([1n, 1n]);
  });

  it('obey only the station, and pay only the treasury', async () => {
    const token = await world.chain.token();
    const { wallet } = await world.sweep(30, token, 0n);
    const sweep = await world.sweep(30, token, 9n);
    await world.send(0, await delegated.callOf(world.parties, sweep));
    expect(await world.node.code(wallet)).toBe(delegationTo(contract()));
    await world.chain.pay(token, wallet, 9n);

    const attempts: Call[] = [
      { from: world.chain.payer, to: wallet, value: 0n, data: sweepData(token, 9n) },
      {
        from: world.chain.payer,
        to: contract(),
        value: 0n,
        data: sweepAllData(token, [{ wallet, units: 9n }], 1n),
      },
      // Through the wallet itself, which is a contract to others now.
      {
        from: world.chain.payer,
        to: wallet,
        value: 0n,
        data: sweepAllData(token, [{ wallet, units: 9n }], 1n),
      },
      // Data that is no call of the contract.
      { from: world.chain.payer, to: wallet, value: 0n, data: `0xa9059cbb${'0'.repeat(128)}` },
    ];
    for (const call of attempts)
      await expect(world.node.estimateGas(call)).rejects.toMatchObject({ code: 'reverted' });
    expect(await world.node.balance(wallet, token)).toBe(9n);
    // The wallet still receives the native coin, and can still send by itself.
    await world.chain.pay(null, wallet, 10n ** 16n);
    const own = await world.send(30, await transfer.callOf(world.parties, { ...sweep, units: 9n }));
    expect(moved(own.transfers)).toEqual([{ from: wallet, to: TREASURY, units: 9n }]);
  });

  it('bring what a token with a fee leaves', async () => {
    const token = await world.chain.token({ feeBasisPoints: 100 });
    const sweep = await world.sweep(40, token, 10_000n);
    const mined = await world.send(0, await delegated.callOf(world.parties, sweep));
    const [arrived] = mined.transfers.filter(({ to }) => to === TREASURY);
    expect(arrived?.units).toBe(sweep.units - sweep.units / 100n);
    expect(await world.node.balance(sweep.wallet, token)).toBe(0n);
  });

  it('are not available on a chain before EIP-7702', async () => {
    const old = await sweepWorld({ hardfork: 'cancun' });
    try {
      await old.deploy();
      const of = { treasury: TREASURY, station: old.station };
      expect(await canDelegate(old.node, old.chain.chainId, of)).toBe(false);
    } finally {
      await old.stop();
    }
  });

  /** Delegates the wallet to another contract. */
  async function leaveTo(index: number, target: string) {
    const [address = ''] = await world.signer.addresses('evm', [index]);
    const nonce = await world.node.nonce(address);
    const given = { chainId: world.chain.chainId, contract: target, nonce };
    const authorizations = [await world.signer.signAuthorization(index, given)];
    await world.send(0, { from: world.station, to: TREASURY, value: 0n, data: '0x', authorizations });
  }
});
