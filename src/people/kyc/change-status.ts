import type { Tx } from '../../kernel/db/database';
import { appendEvents } from '../../kernel/outbox/events';
import { setKycStatus } from '../users/operations';
import type { KycStatus, User } from '../users/record';
import { statusChangedEvent } from './events';

/** Sets the KYC status of a locked user and tells the tenant. */
export async function changeStatus(
  tx: Tx,
  before: User,
  status: KycStatus,
  { reason = null, idempotencyKey }: { reason?: string | null; idempotencyKey?: string | null | undefined },
): Promise<User> {
  const user = await setKycStatus(tx, before, status);
  await appendEvents(tx, [statusChangedEvent(user, before.kycStatus, reason, idempotencyKey)]);
  return user;
}
