import { createHmac } from 'node:crypto';
import { fingerprint } from '../../kernel/idempotency';
import { madeAt } from '../../kernel/ids';
import { isEqual } from '../../kernel/security/is-equal';
import type { Keyring } from '../../kernel/security/keyring';
import type { Approval } from './record';

/** The request of an approval. The decision is not sealed, because functions of Postgres guard it. */
type Asked = Omit<Approval, 'seal' | 'status' | 'firstBy' | 'firstAt' | 'decidedBy' | 'decidedAt' | 'note'>;

/** HMAC-SHA256 under the installation's key of that purpose. */
export function sealOf(keyring: Keyring, asked: Asked): Buffer {
  const { id, kind, subject, tenantId, money, terms, changes, restsOn } = asked;
  const { reason, requestedBy, requestedAt, permission, needs } = asked;
  const amount = money && [money.amount.toFixed(), money.currency];
  const all = [
    ...[id, kind, subject, tenantId, amount, terms, changes, restsOn],
    ...[reason, requestedBy, requestedAt, permission, needs],
  ];
  // As Postgres gives JSON back.
  const stored = fingerprint(JSON.parse(JSON.stringify(all)), null);
  return createHmac('sha256', keyring.secretFor('approvals', madeAt(id)))
    .update(stored)
    .digest();
}

export function isSealed(keyring: Keyring, { seal, ...asked }: Approval): boolean {
  return isEqual(seal, sealOf(keyring, asked));
}
