import type { Following } from '../../chain/networks/following';
import { enabledNetworks } from '../../chain/networks/operations';
import type { Sql } from '../../kernel/db/database';
import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { processOf } from '../../process/workflow-command';
import type { Services } from '../../services';
import { following } from '../../transfers/chain-deposits/following';

/** Follows the blocks of a chain for as long as its network is enabled. */
export const chainWatcher = processOf({
  workflow: 'chainWatcher',
  prefix: 'chain-watcher-',
  summary: ({ chain }: { chain: string; tenantId?: null }) => `Follows the blocks of ${chain}`,
  key: ({ chain }) => [chain],
});

/** What must run now, whatever Temporal has lost: to start one that runs has no effect. */
export const chainWatchers = async (sql: Sql): Promise<WorkflowCommand[]> =>
  (await enabledNetworks(sql)).map(({ chain }) => chainWatcher.start({ chain }));

/** A network that is enabled is read at once: the reconciler would begin it within a minute. */
export const followingAtOnce = ({ commands }: Pick<Services, 'commands'>): Following => ({
  ...following,
  async begin(tx, chain, head, at) {
    await following.begin(tx, chain, head, at);
    commands.append(tx, [chainWatcher.start({ chain })]);
  },
});
