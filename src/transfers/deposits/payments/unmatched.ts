import type { Tx } from '../../../kernel/db/database';
import type { CheckoutState } from '../../../parties/checkout/port';
import { openBreak } from '../../../process/breaks/operations';
import { PartyRefused } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { postSuspense } from '../postings';
import { findBySession, insertUnmatched } from '../store';
import { lookAtDeposit } from '../workflows';

/**
 * What a session that no deposit knew has come to. `matched`: a deposit knows it now, and was told. `open`: it may still be
 * paid or settled. `suspended`: its money stands in suspense, with a break. `nothing`: there is no money in it.
 */
export type MatchProgress = 'matched' | 'open' | 'suspended' | 'nothing';

/**
 * Finds the deposit of a session, or keeps its money for the operator. Done twice, it has been done once.
 * @throws PartyAway nothing is known now
 */
export async function matchSession(services: Services, sessionId: string): Promise<MatchProgress> {
  if (await findBySession(services.database, sessionId)) return tellDeposit(services, sessionId);
  const state = await stateOf(services, sessionId);
  if (!state || ['failed', 'cancelled', 'expired'].includes(state.status)) return 'nothing';
  if (state.status !== 'settled' || !state.paid) return 'open';
  const { paid } = state;
  return services.database.transaction<MatchProgress>(async (tx) => {
    if (await findBySession(tx, sessionId)) return 'open'; // told in the next round
    await suspend(tx, sessionId, paid);
    return 'suspended';
  });
}

function tellDeposit(services: Services, sessionId: string): Promise<MatchProgress> {
  return services.database.transaction<MatchProgress>(async (tx) => {
    const deposit = await findBySession(tx, sessionId);
    if (deposit) await services.commands.append(tx, [lookAtDeposit(deposit)]);
    return 'matched';
  });
}

async function stateOf({ parties }: Services, sessionId: string): Promise<CheckoutState | undefined> {
  try {
    return await parties.checkout.getSession(sessionId);
  } catch (error) {
    if (error instanceof PartyRefused) return undefined; // it knows of none either
    throw error;
  }
}

async function suspend(tx: Tx, sessionId: string, paid: NonNullable<CheckoutState['paid']>): Promise<void> {
  const reference = await insertUnmatched(tx, { sessionId, ...paid });
  if (reference === undefined) return;
  await postSuspense(tx, { ...paid, reference });
  await openBreak(tx, {
    tenantId: null,
    kind: 'deposit_unmatched',
    subject: sessionId,
    detail: reference,
    ...paid,
  });
}
