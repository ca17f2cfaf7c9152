import type { Sql, Tx } from '../../../kernel/db/database';
import type { Destination } from '../../../parties/payouts/port';
import type { Services } from '../../../services';
import type { DecideApproval } from '../../approval/decide';
import type { ApprovalSettings } from '../../approval/settings';
import type { Outgoing, OutgoingTerms } from '../record';
import { destinationFingerprint } from './fingerprint';
import { findKnown, insertKnown, refuseKnown, releaseKnown } from './store';

const HOUR_MS = 3_600_000;

/** How a payout waits because of its destination. */
type Waits = Pick<OutgoingTerms, 'rest'> & {
  /** An operator has rejected a payout to it, so that every payout to it needs an operator until one is approved. */
  isRefused: boolean;
};

/**
 * Notes a destination of a tenant at its first use, and tells how a payout to it waits. Call it before any account is
 * locked, and after the daily sum.
 */
export async function restOf(
  { keyring }: Pick<Services, 'keyring'>,
  tx: Tx,
  destination: Destination,
  { tenantId, at, daily }: { tenantId: string; at: Date; daily: ApprovalSettings },
): Promise<Waits> {
  const hours = daily.newDestinationHours;
  if (hours === 0) return { isRefused: false };
  const fingerprint = destinationFingerprint(keyring, destination);
  const known = { tenantId, fingerprint };
  await insertKnown(tx, { ...known, activeFrom: new Date(at.getTime() + hours * HOUR_MS) });
  const { activeFrom } = await findKnown(tx, known);
  const named = fingerprint.toString('hex');
  if (activeFrom === null) return { isRefused: true, rest: { until: at.toISOString(), destination: named } };
  if (activeFrom <= at) return { isRefused: false };
  return { isRefused: false, rest: { until: activeFrom.toISOString(), destination: named } };
}

const knownBy = ({ transfer: { tenantId, terms } }: Outgoing) =>
  tenantId !== null && terms.rest
    ? { tenantId, fingerprint: Buffer.from(terms.rest.destination, 'hex') }
    : undefined;

/**
 * Ends the rest of a destination with the approval of a payout to it. A rejection refuses the destination: no payout to it
 * leaves without an operator.
 */
export async function noteDecision(
  tx: Tx,
  payout: Outgoing,
  { decision, decidedBy, at }: DecideApproval & { at: Date },
): Promise<void> {
  const known = knownBy(payout);
  if (!known) return;
  if (decision === 'approved') await releaseKnown(tx, known, { decidedBy, at });
  else await refuseKnown(tx, known, { decidedBy, at });
}

/** Whether an operator has refused the destination while the payout waited for nothing else. */
export async function isRefusedMeanwhile(sql: Sql, payout: Outgoing): Promise<boolean> {
  const { status, terms } = payout.transfer;
  const known = knownBy(payout);
  if (!known || terms.needsApproval || status !== 'pending_approval') return false;
  return (await findKnown(sql, known)).activeFrom === null;
}
