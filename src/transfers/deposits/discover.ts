import type { Tx } from '../../kernel/db/database';
import { isId, newId } from '../../kernel/ids';
import type { CheckoutWord } from '../../parties/checkout/word';
import type { Services } from '../../services';
import { makeDueById } from '../engine/due';
import type { Discovered } from '../engine/kind';
import { nameTransfer, openUnlessKnown } from '../engine/open';
import { readSituation } from '../engine/read';
import { depositKind } from './kind';

/**
 * Looks up a session that no deposit has by its name. The deposit whose page was just being made is signalled.
 * Otherwise, once it holds money, the session becomes a transfer without an owner, all of it in suspense.
 * @throws PartyAway when the party cannot be asked
 */
export async function discoverSession(
  services: Services,
  sessionId: string,
): Promise<Discovered | 'unknown_to_party'> {
  const word = await services.parties.checkout.ask(sessionId);
  if (word === 'unknown_to_party') return word;
  return services.database.transaction(async (tx) => {
    const ofDeposit = await inDeposit(services, tx, sessionId, word);
    if (ofDeposit) return ofDeposit;
    if (word.payments.length + word.refunds.length + word.disputes.length === 0) return 'nothing';
    const at = services.now();
    const made = await openUnlessKnown(services, tx, depositKind, {
      id: newId('deposit'),
      tenantId: null,
      accountId: null,
      status: 'manual_review',
      terms: null,
      at,
      referenceId: newId('suspense'),
      partyRef: sessionId,
      orderedAt: at,
    });
    return made ? 'kept' : 'known';
  });
}

/**
 * Signals the deposit under whose key the session was made. A deposit that still waits for its page orders the page
 * again, which gives the same session. A deposit that has ended learns the name here.
 */
async function inDeposit(
  services: Services,
  tx: Tx,
  sessionId: string,
  { key }: CheckoutWord,
): Promise<Discovered | undefined> {
  if (key === null || !isId('deposit', key)) return undefined;
  const found = await readSituation(tx, depositKind, key, services.now());
  if (!found || (found.transfer.partyRef ?? sessionId) !== sessionId) return undefined;
  const waits = found.transfer.status === 'created';
  if (!waits) await nameTransfer(tx, key, sessionId);
  await makeDueById(tx, key, services.now());
  services.commands.append(tx, [depositKind.process.look(found.transfer)]);
  return waits ? 'open' : 'known';
}
