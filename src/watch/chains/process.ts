import { listNetworks } from '../../chain/networks/operations';
import type { Sql } from '../../kernel/db/database';
import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { isAsked } from '../../parties/chain/witness';
import { processOf } from '../../process/workflow-command';

/** Follows the blocks of a chain for as long as its network is enabled. */
export const chainWatcher = processOf({
  workflow: 'chainWatcher',
  prefix: 'chain-watcher-',
  summary: ({ chain }: { chain: string; tenantId?: null }) => `Follows the blocks of ${chain}`,
  key: ({ chain }) => [chain],
});

/** What must run now, whatever Temporal has lost: to start one that runs has no effect. */
export async function chainWatchers(sql: Sql): Promise<WorkflowCommand[]> {
  const networks = await listNetworks(sql);
  return networks
    .filter((network) => network.enabled && isAsked(network))
    .map(({ chain }) => chainWatcher.start({ chain }));
}
