import type { Tx } from '../../kernel/db/database';
import { isId, newId } from '../../kernel/ids';
import type { CheckoutWord } from '../../parties/checkout/word';
import type { Services } from '../../services';
import { type Discovered, subjectOf } from '../engine/kind';
import { openTransfer } from '../engine/open';
import { lockTransfer, saveTransfer } from '../engine/store';
import { depositKind } from './kind';

/**
 * A session that no deposit has by its name: that of a deposit whose page was just being made, or one that no deposit of
 * ours made. The latter, once there is money in it, is a transfer of nobody's, all of it in suspense.
 * @throws PartyAway nothing is known now
 */
export async function discoverSession(services: Services, sessionId: string): Promise<Discovered> {
  const word = await services.parties.checkout.ask(sessionId);
  if (word === 'unknown_to_party') return 'nothing';
  return services.database.transaction(async (tx) => {
    if (await named(services, tx, sessionId, word)) return 'known';
    if (word.payments.length === 0) return 'nothing';
    const at = services.now();
    const made = await openTransfer(services, tx, depositKind, {
      ...{ id: newId('deposit'), tenantId: null, accountId: null, status: 'manual_review', terms: null, at },
      ...{ referenceId: newId('suspense'), partyRef: sessionId, orderedAt: at },
    });
    return made ? 'kept' : 'known';
  });
}

/** The deposit under whose key the session was made learns its name, where the answer that told it was lost. */
async function named(
  { commands, now }: Services,
  tx: Tx,
  sessionId: string,
  { key }: CheckoutWord,
): Promise<boolean> {
  const found = key !== null && isId('deposit', key) && (await lockTransfer(tx, depositKind, key, now()));
  const { transfer: known } = (found || undefined)?.situation ?? {};
  if (!known || (known.partyRef ?? sessionId) !== sessionId) return false;
  const transfer = { ...known, partyRef: sessionId, revision: known.revision + 1 };
  await saveTransfer(tx, transfer);
  await commands.append(tx, [depositKind.process.look(subjectOf(transfer))]);
  return true;
}
