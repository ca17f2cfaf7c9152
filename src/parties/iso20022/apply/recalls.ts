import type { Sql, Tx } from '../../../kernel/db/database';
import { sumOf } from '../../../kernel/money/money';
import { openBreakAgain } from '../../../process/breaks/operations';
import { PartyRefused } from '../../../process/party-errors';
import { FILE_BREAKS } from '../breaks';
import {
  type RecallAnswer,
  type RecallRequest,
  writeRecallAnswer,
  writeRecallRequest,
} from '../messages/recalls';
import { endToEndIdOf } from '../names';
import { insertOutgoing, newMessageId } from '../outgoing';
import type { BankFilesServices } from '../services';
import { type BankCredit, creditsNamed, noteRecallAsked, recallsOf } from '../store/credits';
import { type BankOrder, changeOrder, findOrder, lockByName, returnsOfOrder } from '../store/orders';
import { answered } from '../unanswered';
import { type Applying, codeText, show } from './context';

/**
 * Applies a request to give received payments back. The request moves no money: a person returns the payment or leaves
 * it. Money that the bank takes back by itself is booked by its entry.
 */
export async function applyRecallRequest(applying: Applying, { recalls }: RecallRequest): Promise<void> {
  const { tx } = applying;
  for (const { id, money, reason, ...names } of recalls) {
    const [credit, other] = await creditsNamed(tx, names);
    const subject = names.transactionId ?? names.endToEndId ?? id ?? applying.file.messageId ?? '';
    if (!credit || other) {
      await show(applying, FILE_BREAKS.unknownReference, { subject, detail: 'recall', money });
      continue;
    }
    if (money && !(money.currency === credit.currency && money.amount.lte(credit.amount))) {
      await show(applying, FILE_BREAKS.contradiction, { subject: credit.id, detail: 'recall', money });
      continue;
    }
    // The debit may come before the request that explains it.
    if (sumOf(await recallsOf(tx, credit.id)).gte((money ?? credit).amount)) continue;
    await noteRecallAsked(tx, credit.id, true);
    await openBreakAgain(tx, {
      tenantId: null,
      kind: FILE_BREAKS.recallAsked,
      subject: credit.id,
      detail: codeText(reason),
      amount: (money ?? credit).amount,
      currency: credit.currency,
    });
  }
}

/** Applies the answer to a recall of a payout. The money itself comes back by an entry. */
export async function applyRecallAnswer(applying: Applying, { answers }: RecallAnswer): Promise<void> {
  const { tx } = applying;
  for (const { endToEndId = '', verdict, reason } of answers) {
    const order = endToEndId === '' ? undefined : await lockByName(tx, endToEndId);
    await answered(applying, order?.recallFileId ?? null);
    if (!order) {
      await show(applying, FILE_BREAKS.unknownReference, { subject: endToEndId, detail: 'recall' });
    } else if (order.recall === null) {
      await show(applying, FILE_BREAKS.contradiction, { subject: endToEndId, detail: 'recall not asked' });
    } else if (verdict === undefined) {
      await show(applying, FILE_BREAKS.unknownCode, { subject: endToEndId, detail: 'recall' });
    } else if (order.recall === 'asked' || order.recall === 'pending') {
      await changeOrder(tx, order, { recall: verdict });
      if (verdict === 'refused')
        await show(applying, FILE_BREAKS.recallRefused, { subject: endToEndId, detail: codeText(reason) });
    }
  }
}

/**
 * The order of a payout that may be asked back.
 * @throws PartyRefused `not_found`, `recall_asked`, `not_sent`, `returned`
 */
export async function askableOrder(sql: Sql, key: string): Promise<BankOrder> {
  const order = await findOrder(sql, key);
  if (order?.purpose !== 'payout') throw new PartyRefused('not_found');
  if (order.recall !== null) throw new PartyRefused('recall_asked');
  if (order.stage !== 'sent' && order.stage !== 'completed') throw new PartyRefused('not_sent');
  if (sumOf(await returnsOfOrder(sql, key)).gte(order.amount)) throw new PartyRefused('returned');
  return order;
}

/**
 * Asks the payee's bank for a payout that has left. Asked once.
 * @param reason a code of ISO 20022: CUST, DUPL, FRAD, TECH
 * @throws PartyRefused as {@link askableOrder}
 */
export async function askBack(
  services: Pick<BankFilesServices, 'settings' | 'keyring' | 'now'>,
  tx: Tx,
  { key, reason }: { key: string; reason: string },
): Promise<void> {
  await lockByName(tx, endToEndIdOf(key));
  const order = await askableOrder(tx, key);
  const at = services.now();
  const messageId = newMessageId(at);
  const recall = {
    id: order.endToEndId,
    endToEndId: order.endToEndId,
    transactionId: undefined,
    uetr: undefined,
    money: { amount: order.amount, currency: order.currency },
    reason,
  };
  const banks = { from: undefined, to: services.settings.bic };
  const xml = writeRecallRequest({ messageId, createdAt: at, recalls: [recall] }, banks);
  const message = { kind: 'camt.056.001.08', messageId, bytes: Buffer.from(xml) } as const;
  const { id: recallFileId } = await insertOutgoing(services, tx, message);
  await changeOrder(tx, order, { recall: 'asked', recallFileId });
}

/** Answers the payer's bank that a payment goes back, where it has asked. Answered once for each request. */
export async function answerRecall(services: BankFilesServices, tx: Tx, credit: BankCredit): Promise<void> {
  if (!credit.recallAsked) return;
  await noteRecallAsked(tx, credit.id, false);
  const at = services.now();
  const messageId = newMessageId(at);
  const answer = {
    endToEndId: credit.endToEndId ?? undefined,
    transactionId: credit.transactionId ?? undefined,
    uetr: credit.uetr ?? undefined,
    verdict: 'accepted' as const,
    reason: undefined,
  };
  const banks = { from: undefined, to: services.settings.bic };
  const xml = writeRecallAnswer({ messageId, createdAt: at, answers: [answer] }, banks);
  await insertOutgoing(services, tx, { kind: 'camt.029.001.09', messageId, bytes: Buffer.from(xml) });
}
