import type { Sql, Tx } from '../../../../src/kernel/db/database';
import { ZERO } from '../../../../src/kernel/money/money';
import type { Services } from '../../../../src/services';
import { concludeTransfer } from '../../../../src/transfers/conclude';
import type { ResolutionKind } from '../../../../src/transfers/engine/books/resolutions';
import { CONCLUSIONS } from '../../../../src/transfers/engine/conclusion';
import { judgeScreening, lockScreened } from '../../../../src/transfers/judge-screening';
import { followAgain } from '../../../../src/transfers/restored';
import type { Verdict } from '../../../../src/transfers/screening/record';
import { resolveSuspense, suspenseOf } from '../../../../src/transfers/suspense';
import { type Act, CLOSE, FOLLOW, SCREENED } from './kind-proof';
import { partOf } from './kinds/people';

export const OPERATOR = 'operator:ida';

/**
 * Performs an operator's act on a transfer of any kind, by the product's operations.
 * @throws Problem if it is not allowed
 */
export async function actOnAny(
  services: Services,
  tx: Tx,
  { id, tenantId }: { id: string; tenantId: string },
  act: Act,
): Promise<unknown> {
  const { kind } = act;
  if (kind === CLOSE) return close(tx, id);
  if (kind === FOLLOW)
    return followAgain(services, tx, { transferId: id, reason: 'seen', decidedBy: OPERATOR });
  const verdict = SCREENED[kind];
  if (verdict) return judged(services, tx, id, verdict);
  const as = CONCLUSIONS.find((each) => each === kind);
  if (as) {
    const conclusion = { transferId: id, as, evidence: 'a letter', decidedBy: OPERATOR };
    return concludeTransfer(services, tx, conclusion);
  }
  return resolve(services, tx, { id, tenantId }, act);
}

/** Decides on the screening of a transfer in place of the party. */
async function judged(services: Services, tx: Tx, id: string, verdict: Verdict): Promise<unknown> {
  const subject = await lockScreened(tx, id, services.now());
  return subject && judgeScreening(services, tx, subject, { verdict, reason: 'seen', decidedBy: OPERATOR });
}

/** Uses a door of suspense as an operator would who sees the amounts: a negative amount is recovered. */
async function resolve(
  services: Services,
  tx: Tx,
  { id, tenantId }: { id: string; tenantId: string },
  { kind, share, ...act }: Act,
): Promise<unknown> {
  const items = await suspenseOf(tx, id);
  const item = items.find(({ currency }) => currency === act.currency) ?? items[0];
  const { currency, amount } = item ?? { currency: act.currency, amount: ZERO };
  const door = amount.lt(0) && kind !== 'write_off' ? 'recover' : (kind as ResolutionKind);
  const takesAccount = door === 'credit' || door === 'recover';
  return resolveSuspense(services, tx, {
    transferId: id,
    resolution: door,
    currency,
    reason: 'seen',
    decidedBy: OPERATOR,
    amount: partOf({ share, currency }, amount.abs()),
    ...(takesAccount ? { accountId: await masterOf(tx, tenantId, currency) } : {}),
  });
}

/**
 * Closes the transfer's account if it is a user's. By SQL, because the product has no operation that closes an account.
 */
export const close = (tx: Sql, id: string): Promise<unknown> =>
  tx.query(
    `update accounts set status = 'closed'
      where owner_type = 'user' and id = (select account_id from transfers where id = $1)`,
    [id],
  );

async function masterOf(tx: Tx, tenantId: string, currency: string): Promise<string> {
  const [found] = await tx.query<{ id: string }>(
    `select id from accounts where tenant_id = $1 and currency = $2 and owner_type = 'client'`,
    [tenantId, currency],
  );
  return found?.id ?? 'acc_none';
}
