import type { Database } from '../../../kernel/db/database';
import { asciiUrl } from '../../../kernel/wire/web-url';
import { PartyRefused } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { requireTenant } from '../../../tenants/clients/operations';
import { change, changeStatus, lockedDeposit } from '../change';
import type { Deposit } from '../record';

/** Where the party calls back: one address for all sessions. */
export const CALLBACK_PATH = '/callbacks/checkout';

/** Binds a sealed page's address to its deposit. */
export const redirectContext = (depositId: string) => `deposit-redirect/${depositId}`;

/**
 * Has the party make its page for a new deposit. One that has no page by the time it expires never gets one.
 * @param at the workflow's clock
 * @throws PartyAway, or that its answer was lost: asked again it is the same page
 */
export async function openCheckout(services: Services, deposit: Deposit, at: Date): Promise<Deposit> {
  if (deposit.expiresAt <= at) return end(services, deposit.id, 'expired', null);
  try {
    const session = await services.parties.checkout.createSession({
      key: deposit.id,
      depositId: deposit.id,
      method: deposit.method,
      amount: deposit.chargedAmount,
      currency: deposit.currency,
      merchant: await merchantOf(services.database, deposit.tenantId),
      expiresAt: deposit.expiresAt,
      returnUrl: asciiUrl(deposit.returnUrl),
      callbackUrl: services.publicUrl() + CALLBACK_PATH,
    });
    return await noteSession(services, deposit.id, session);
  } catch (error) {
    if (!(error instanceof PartyRefused)) throw error;
    return end(services, deposit.id, 'session_refused', 'method_unavailable');
  }
}

async function merchantOf(database: Database, tenantId: string): Promise<string> {
  return (await requireTenant(database, tenantId)).name;
}

/** A deposit that has ended meanwhile keeps the session all the same: it may be paid late. */
function noteSession(
  services: Services,
  id: string,
  { sessionId, redirectUrl }: { sessionId: string; redirectUrl: string },
): Promise<Deposit> {
  return services.database.transaction(async (tx) => {
    const deposit = await lockedDeposit(tx, id);
    if (deposit.sessionId !== null) return deposit;
    const redirectSealed = services.keyring.seal(Buffer.from(redirectUrl), redirectContext(id));
    const session = { sessionId, redirectSealed };
    return deposit.status === 'created'
      ? changeStatus(services, tx, deposit, 'session_made', session)
      : change(services, tx, deposit, session);
  });
}

function end(
  services: Services,
  id: string,
  on: 'expired' | 'session_refused',
  failure: string | null,
): Promise<Deposit> {
  return services.database.transaction(async (tx) => {
    const deposit = await lockedDeposit(tx, id);
    return deposit.status === 'created' ? changeStatus(services, tx, deposit, on, { failure }) : deposit;
  });
}
