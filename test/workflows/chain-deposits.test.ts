/** @long */
import { createTransferActivities } from '../../activities/transfers';
import { checkLedger } from '../../src/kernel/ledger/check';
import { chainWatcher, chainWatchers } from '../../src/watch/chains/process';
import { type TimeSkipping, timeSkipping } from '../support/temporal';
import { openWorld, type World } from '../transfers/chain-deposits/support';

let world: World;
let temporal: TimeSkipping;
beforeAll(async () => {
  [world, temporal] = await Promise.all([openWorld(), timeSkipping()]);
  await temporal.keepWorkers(createTransferActivities(world.api.services));
}, 600_000);
afterAll(async () => {
  await temporal.close();
  await world.close();
});

it('leads a deposit that a client reported by its hash to its end without a watcher', async () => {
  const { chain, client, token, api } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const txHash = await chain.pay(token, address, 5_000_000n);
  await chain.client.mine({ blocks: 2 });
  const { body } = await client.call('POST', '/v1/wallets/deposit', { chain: 'local', address, txHash });
  const command = api.commands.find(({ args }) => args[0] === body.id);
  const { workflow = '', workflowId = '', taskQueue = '', args = [] } = command ?? {};
  expect(workflowId).toBe(`chain-deposit-${body.id}`);
  expect(await temporal.client.workflow.execute(workflow, { workflowId, taskQueue, args })).toBe('credited');
  expect(await world.available(account)).toBe('5');
  expect(await checkLedger(api.database)).toEqual([]);
});

it('runs a watcher for each enabled network, and ends it when the network is disabled', async () => {
  const { database } = world.api;
  expect((await chainWatchers(database)).map(({ workflowId }) => workflowId)).toEqual([
    'chain-watcher-local',
  ]);
  await database.query(`update networks set enabled = false`);
  expect(await chainWatchers(database)).toEqual([]);
  const { workflow, workflowId, taskQueue, args } = chainWatcher.start({ chain: 'local' });
  await temporal.client.workflow.execute(workflow, { workflowId, taskQueue, args });
});
