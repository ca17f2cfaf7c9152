import type { Sql } from '../../kernel/db/database';
import type { Teller } from '../../process/desk/story';
import type { ChainDeposit } from '../../transfers/chain-deposits/record';
import { chainDepositView } from '../../transfers/chain-deposits/view';
import type { Situation } from '../../transfers/engine/record';
import { transferStory } from '../../transfers/engine/story';
import { findKind } from '../../transfers/kinds';

/** View of a kind's record. Kinds without an entry show their terms only. */
const VIEWS: Record<string, (sql: Sql, situation: Situation) => Promise<object>> = {
  chain_deposit: async (_, deposit) => chainDepositView(deposit as ChainDeposit),
};

/** A transfer of a kind whose domain declares no desk of its own yet. */
export const tellTransfer: Teller = async (deps, id, limit) => {
  const kind = await findKind(deps.database, id);
  if (!kind) return undefined;
  const view = VIEWS[kind.name];
  const viewOf = view && ((situation: Situation) => view(deps.database, situation));
  return transferStory(deps, kind, { id, limit, ...(viewOf ? { viewOf } : {}) });
};
