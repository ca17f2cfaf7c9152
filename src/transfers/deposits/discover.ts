import type { Tx } from '../../kernel/db/database';
import { isId, newId } from '../../kernel/ids';
import type { CheckoutWord } from '../../parties/checkout/word';
import { PartyRefused } from '../../process/party-errors';
import type { Services } from '../../services';
import { type Discovered, type Given, subjectOf } from '../engine/kind';
import { openTransfer } from '../engine/open';
import { lockTransfer, readSituation, saveTransfer } from '../engine/store';
import { depositKind } from './kind';

/**
 * A session that no deposit has by its name: that of a deposit whose page was just being made, or one that no deposit of
 * ours made. The latter, once there is money in it, is a transfer of nobody's, all of it in suspense.
 * @throws PartyAway nothing is known now
 */
export async function discoverSession(services: Services, sessionId: string): Promise<Discovered> {
  const word = await services.parties.checkout.ask(sessionId);
  if (word === 'unknown_to_party') return 'nothing';
  const page = await pageOf(services, word);
  return services.database.transaction(async (tx) => {
    if (await named(services, tx, sessionId, { word, page })) return 'known';
    if (word.payments.length + word.refunds.length + word.disputes.length === 0) return 'nothing';
    const at = services.now();
    const made = await openTransfer(services, tx, depositKind, {
      ...{ id: newId('deposit'), tenantId: null, accountId: null, status: 'manual_review', terms: null, at },
      ...{ referenceId: newId('suspense'), partyRef: sessionId, orderedAt: at },
    });
    return made ? 'kept' : 'known';
  });
}

interface Known {
  word: CheckoutWord;
  page: Given<CheckoutWord> | undefined;
}

/**
 * The page of a deposit that still waits for it: the answer that told its address was lost with the session's name. Asked for
 * again under its key, it is the same.
 */
async function pageOf(services: Services, { key }: CheckoutWord): Promise<Known['page']> {
  if (key === null || !isId('deposit', key)) return undefined;
  const deposit = await readSituation(services.database, depositKind, key, services.now());
  if (deposit?.transfer.status !== 'created') return undefined;
  try {
    return await depositKind.give(services, deposit, { key, what: 'open' });
  } catch (error) {
    if (error instanceof PartyRefused) return undefined;
    throw error;
  }
}

/** The deposit under whose key the session was made learns its name, where the answer that told it was lost. */
async function named(
  { commands, now }: Services,
  tx: Tx,
  sessionId: string,
  { word: { key }, page }: Known,
): Promise<boolean> {
  const found = key !== null && isId('deposit', key) && (await lockTransfer(tx, depositKind, key, now()));
  const { transfer: known } = (found || undefined)?.situation ?? {};
  if (!known || (known.partyRef ?? sessionId) !== sessionId) return false;
  if (page?.partyRef === sessionId) await page.keep?.(tx);
  const transfer = { ...known, partyRef: sessionId, revision: known.revision + 1 };
  await saveTransfer(tx, transfer);
  await commands.append(tx, [depositKind.process.look(subjectOf(transfer))]);
  return true;
}
