import { manyWallets, type Strategy, sweepAll } from './many';

describe.each<Strategy>(['transfer', 'delegated'])('two hundred wallets by the strategy %s', (strategy) => {
  it('are swept', async () => {
    const world = await manyWallets(strategy, 200);
    console.time('sweeps');
    console.log(await sweepAll(world));
    console.timeEnd('sweeps');
    console.log(
      await world.on.api.database.query(
        `select type, status, n, count(*) from (select wallet_id, type, status, count(*) as n from gas_operations group by 1,2,3) t group by 1,2,3`,
      ),
    );
    await world.on.close();
  });
});
