import type { Following } from '../../chain/networks/following';
import { enabledNetworks } from '../../chain/networks/operations';
import { joinScope } from '../../chain/wallets/operations';
import type { Sql } from '../../kernel/db/database';
import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { processOf } from '../../process/workflow-command';
import type { Services } from '../../services';
import { following } from '../../transfers/chain-deposits/following';

/** The workflow that follows a chain while its network is enabled. */
export const chainWatcher = processOf({
  workflow: 'chainWatcher',
  prefix: 'chain-watcher-',
  summary: ({ chain }: { chain: string; tenantId?: null }) => `Follows the blocks of ${chain}`,
  key: ({ chain }) => [chain],
});

/** Start commands of the watchers that must run, whatever Temporal has lost. Starting a running one has no effect. */
export const chainWatchers = async (sql: Sql): Promise<WorkflowCommand[]> =>
  (await enabledNetworks(sql)).map(({ chain }) => chainWatcher.start({ chain }));

/**
 * Starts the watcher when a network is enabled, instead of waiting up to a minute for the reconciler. The network joins
 * the allocations of its scope, so that the watcher finds their payments from the first block.
 */
export const followingAtOnce = (
  services: Pick<Services, 'commands' | 'database' | 'keyring'>,
): Following => ({
  ...following,
  async begin(tx, chain, head, at) {
    await following.begin(tx, chain, head, at);
    await joinScope(services, tx, chain, at);
    services.commands.append(tx, [chainWatcher.start({ chain })]);
  },
});
