import type { Sql } from '../../kernel/db/database';
import { formatAmount } from '../../kernel/money/money';
import type { ChainDeposit } from '../../transfers/chain-deposits/record';
import { chainDepositView } from '../../transfers/chain-deposits/view';
import { shownDeposit } from '../../transfers/deposits/create';
import { type ClientDeposit } from '../../transfers/deposits/money';
import { depositView } from '../../transfers/deposits/view';
import { bookedOf, entriesOf, readSituation, transferOfDecision, wordsOf } from '../../transfers/engine/read';
import type { Situation, Transfer } from '../../transfers/engine/record';
import { type ExchangeOrder } from '../../transfers/exchange/orders/record';
import { exchangeOrderView } from '../../transfers/exchange/orders/view';
import { shownWithdrawal } from '../../transfers/exchange/withdrawals/create';
import type { ExchangeWithdrawal } from '../../transfers/exchange/withdrawals/kind';
import { exchangeWithdrawalView } from '../../transfers/exchange/withdrawals/view';
import { ibanPayoutKind } from '../../transfers/iban/payouts/kind';
import { ibanPayoutView } from '../../transfers/iban/view';
import { findKind } from '../../transfers/kinds';
import { shownPayout } from '../../transfers/payouts/create';
import { payoutKind } from '../../transfers/payouts/kind';
import type { Payout } from '../../transfers/payouts/record';
import { payoutView } from '../../transfers/payouts/view';
import { commonLists, isOverdue, line } from './parts';
import { type Line, storyOf, type Teller } from './story';

/** View of a kind's record. Kinds without an entry show their terms only. */
const VIEWS: Record<string, (sql: Sql, situation: Situation) => Promise<object>> = {
  deposit: async (sql, deposit) =>
    deposit.transfer.tenantId === null ? {} : depositView(await shownDeposit(sql, deposit as ClientDeposit)),
  payout: async (sql, payout) => payoutView(await shownPayout(sql, payoutKind, payout as Payout)),
  iban_payout: async (sql, payout) =>
    ibanPayoutView(await shownPayout(sql, ibanPayoutKind, payout as Payout)),
  chain_deposit: async (_, deposit) => chainDepositView(deposit as ChainDeposit),
  exchange_order: async (_, order) => exchangeOrderView(order as ExchangeOrder),
  exchange_withdrawal: async (sql, withdrawal) =>
    exchangeWithdrawalView(await shownWithdrawal(sql, withdrawal as ExchangeWithdrawal)),
};

/** A transfer, that is money that crosses our border. */
export const tellTransfer: Teller = async ({ database, now }, id, limit) => {
  const kind = await findKind(database, id);
  const situation = kind && (await readSituation(database, kind, id, now()));
  if (!kind || !situation) return undefined;
  const { transfer } = situation;
  const workflowId = kind.process.look(transfer).workflowId;
  const entries = await entriesOf(database, id, limit + 1);
  const references = [...new Set([transfer.referenceId, ...entries.map(({ reference }) => reference)])];
  const common = await commonLists(database, { id, references, workflowId }, limit);
  const view = await VIEWS[kind.name]?.(database, situation);
  return storyOf(
    id,
    {
      what: kind.name,
      tenantId: transfer.tenantId,
      status: transfer.status,
      since: transfer.reached[transfer.status] ?? transfer.updatedAt.toISOString(),
      record: recordOf(transfer, view),
      workflowId,
      dueBy: transfer.dueBy?.toISOString() ?? null,
      overdue: isOverdue(transfer.dueBy, situation.at),
    },
    {
      ...common,
      words: await toldWords(database, transfer, limit + 1),
      decisions: situation.decisions.map(decisionLine),
      booked: (await bookedOf(database, id)).map(holdingLine),
      entries: entries.map(({ reference, at, ...holding }) => ({
        at: at.toISOString(),
        ...holdingLine(holding),
        reference,
      })),
    },
    limit,
  );
};

/** A decision on a transfer, shown as the transfer's story. */
export const tellDecision: Teller = async (deps, id, limit) => {
  const transferId = await transferOfDecision(deps.database, id);
  return transferId === undefined ? undefined : tellTransfer(deps, transferId, limit);
};

/** Fields that all transfers have, then those of the kind's view. */
function recordOf(transfer: Transfer, view: object = {}): object {
  const { accountId, referenceId, partyRef, orderedAt, failure, lookAt, createdAt, reached } = transfer;
  const own = line({ accountId, referenceId, partyRef, orderedAt, failure, lookAt, createdAt });
  return { ...own, reached, terms: transfer.terms, parts: transfer.parts, ...view };
}

/** The party's stored words, then the last answer that was not applied: doubted, or dropped as older. */
async function toldWords(sql: Sql, transfer: Transfer, limit: number): Promise<Line[]> {
  const kept = await wordsOf(sql, transfer.id, limit);
  const { doubted: word, doubtedAt: at } = transfer;
  const doubted = word ? [{ word, ...(at ? { at, doubted: true } : { dropped: true }) }] : [];
  return [...kept.map(({ at, version, word }) => line({ at, version, word })), ...doubted.map(line)];
}

function decisionLine(decision: Situation['decisions'][number]): Line {
  const { at, kind, decidedBy, reason, amount, currency, accountId, data } = decision;
  const money =
    amount === null || currency === null ? {} : { amount: formatAmount(amount, currency), currency };
  return line({ at, decision: kind, decidedBy, reason, ...money, accountId: accountId ?? undefined, data });
}

function holdingLine(holding: Awaited<ReturnType<typeof bookedOf>>[number]): Line {
  const { component, part, account, currency, amount } = holding;
  return {
    component,
    part,
    account: account ?? 'internal',
    amount: formatAmount(amount, currency),
    currency,
  };
}
