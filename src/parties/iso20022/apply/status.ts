import { ZERO } from '../../../kernel/money/money';
import { FILE_BREAKS } from '../breaks';
import { FileFault } from '../messages/fault';
import { failureOf, type Stage, stageOf } from '../messages/status-codes';
import type { Judged, StatusReport, TransferStatus } from '../messages/status-report';
import { findSent } from '../store/files';
import { type BankOrder, changeOrder, lockByName, lockOfFile, type OrderStage } from '../store/orders';
import { answered } from '../unanswered';
import { type Applying, codeText, show } from './context';

/**
 * Applies the bank's answer to a file of ours. A transfer's own status counts before that of its group, and that before
 * the status of the file.
 * @throws FileFault where count or sum are not those of our file
 */
export async function applyStatusReport(applying: Applying, report: StatusReport): Promise<void> {
  const { tx } = applying;
  const sent = await findSent(tx, report.original);
  if (sent?.kind !== 'pain.001.001.09') return applyToKnown(applying, report);
  if (report.count !== undefined && report.count !== sent.transactions)
    throw new FileFault('transaction_count', 'OrgnlNbOfTxs');
  if (report.sum !== undefined && !report.sum.eq(sent.controlSum))
    throw new FileFault('control_sum', 'OrgnlCtrlSum');
  const orders = await lockOfFile(tx, sent.id);
  await answered(applying, sent.id);
  const transfers = report.groups.flatMap((group) => group.transfers);
  await showUnknown(applying, report, orders);
  for (const order of orders) {
    const own = transfers.find(({ endToEndId }) => endToEndId === order.endToEndId);
    const group = report.groups.find(({ id }) => id === order.groupId);
    const judged = [own, group, report].find((each) => each?.status !== undefined);
    if (judged) await judge(applying, order, judged, own);
  }
}

/**
 * Applies a report about a file that we do not know. After a loss of commits it may name orders that came again, and
 * that were not sent again.
 */
async function applyToKnown(applying: Applying, { original, groups }: StatusReport): Promise<void> {
  await show(applying, FILE_BREAKS.unknownReference, { subject: original, detail: 'file' });
  for (const transfer of groups.flatMap((group) => group.transfers)) {
    const { endToEndId, status } = transfer;
    const order = endToEndId === undefined ? undefined : await lockByName(applying.tx, endToEndId);
    if (order?.fileId === null && status !== undefined) await judge(applying, order, transfer, transfer);
  }
}

async function showUnknown(
  applying: Applying,
  { groups }: StatusReport,
  orders: readonly BankOrder[],
): Promise<void> {
  const names = new Set(orders.map(({ endToEndId }) => endToEndId));
  const ids = new Set(orders.map(({ groupId }) => groupId));
  for (const { id, transfers } of groups) {
    if (!ids.has(id)) await show(applying, FILE_BREAKS.unknownReference, { subject: id, detail: 'group' });
    for (const { endToEndId = 'NOTPROVIDED' } of transfers)
      if (!names.has(endToEndId))
        await show(applying, FILE_BREAKS.unknownReference, { subject: endToEndId, detail: 'transfer' });
  }
}

async function judge(
  applying: Applying,
  order: BankOrder,
  { status = '', reason }: Judged,
  own: TransferStatus | undefined,
): Promise<void> {
  const money = own?.money;
  if (money && !(money.currency === order.currency && money.amount.eq(order.amount)))
    return show(applying, FILE_BREAKS.contradiction, { subject: order.endToEndId, detail: 'amount', money });
  const stage = stageOf(status);
  if (stage === undefined)
    return show(applying, FILE_BREAKS.unknownCode, { subject: order.endToEndId, detail: codeText(status) });
  const next = nextStage(order, stage);
  if (next === 'contradiction')
    return show(applying, FILE_BREAKS.contradiction, { subject: order.endToEndId, detail: codeText(status) });
  if (next === undefined) return;
  await changeOrder(applying.tx, order, {
    stage: next,
    failureCode: next === 'failed' ? failureOf(reason) : order.failureCode,
    sent: next === 'sent' || next === 'completed' ? order.amount : ZERO,
  });
}

/** From each stage: what a report makes of it. Absent: the report is late or repeated, and changes nothing. */
const NEXT: Readonly<Record<OrderStage, Partial<Record<Stage, OrderStage | 'contradiction'>>>> = {
  ordered: { accepted: 'accepted', sent: 'sent', completed: 'completed', failed: 'failed' },
  accepted: { sent: 'sent', completed: 'completed', failed: 'failed' },
  sent: { completed: 'completed', failed: 'failed' },
  completed: { failed: 'contradiction' },
  failed: { sent: 'contradiction', completed: 'contradiction' },
};

/** The next stage by a report. Booked money is never taken back by a report alone. */
function nextStage(order: BankOrder, stage: Stage): OrderStage | 'contradiction' | undefined {
  const next = NEXT[order.stage][stage];
  return next === 'failed' && order.debited.gt(0) ? 'contradiction' : next;
}
