import type { Destination } from '../../../parties/payouts/port';

/** A bank account that a tenant may withdraw fiat to. An operator adds it. */
export interface WithdrawalDestination {
  id: string;
  tenantId: string;
  currency: string;
  label: string | null;
  destinationMasked: Destination;
  activeFrom: Date;
  /** `operator:<name>`, as in all fields of this kind. */
  addedBy: string;
  /** When and by whom it was activated before its time. */
  waivedAt: Date | null;
  waivedBy: string | null;
  disabledAt: Date | null;
  disabledBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const DESTINATION_STATUSES = ['pending', 'active', 'disabled'] as const;
export type DestinationStatus = (typeof DESTINATION_STATUSES)[number];

/** `pending` until the destination may be used. */
export function statusAt(
  { activeFrom, disabledAt }: Pick<WithdrawalDestination, 'activeFrom' | 'disabledAt'>,
  at: Date,
): DestinationStatus {
  if (disabledAt !== null) return 'disabled';
  return activeFrom > at ? 'pending' : 'active';
}
