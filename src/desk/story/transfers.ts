import type { Sql } from '../../kernel/db/database';
import type { Teller } from '../../process/desk/story';
import { shownDeposit } from '../../transfers/deposits/create';
import type { ClientDeposit } from '../../transfers/deposits/money';
import { depositView } from '../../transfers/deposits/view';
import type { Situation } from '../../transfers/engine/record';
import { transferStory } from '../../transfers/engine/story';
import type { ExchangeOrder } from '../../transfers/exchange/orders/record';
import { exchangeOrderView } from '../../transfers/exchange/orders/view';
import { shownWithdrawal } from '../../transfers/exchange/withdrawals/create';
import type { ExchangeWithdrawal } from '../../transfers/exchange/withdrawals/kind';
import { exchangeWithdrawalView } from '../../transfers/exchange/withdrawals/view';
import { findKind } from '../../transfers/kinds';

/** View of a kind's record. Kinds without an entry show their terms only. */
const VIEWS: Record<string, (sql: Sql, situation: Situation) => Promise<object>> = {
  deposit: async (sql, deposit) =>
    deposit.transfer.tenantId === null ? {} : depositView(await shownDeposit(sql, deposit as ClientDeposit)),
  exchange_order: async (_, order) => exchangeOrderView(order as ExchangeOrder),
  exchange_withdrawal: async (sql, withdrawal) =>
    exchangeWithdrawalView(await shownWithdrawal(sql, withdrawal as ExchangeWithdrawal)),
};

/** A transfer of a kind whose domain declares no desk of its own yet. */
export const tellTransfer: Teller = async (deps, id, limit) => {
  const kind = await findKind(deps.database, id);
  if (!kind) return undefined;
  const view = VIEWS[kind.name];
  const viewOf = view && ((situation: Situation) => view(deps.database, situation));
  return transferStory(deps, kind, { id, limit, ...(viewOf ? { viewOf } : {}) });
};
