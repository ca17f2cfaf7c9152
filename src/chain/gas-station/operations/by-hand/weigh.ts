import type { Tx } from '../../../../kernel/db/database';
import { isCurrency } from '../../../../kernel/money/currencies';
import { type Decimal, ZERO } from '../../../../kernel/money/money';
import { type Weight, weighAlone } from '../../../../process/limits/operations';
import { ledgerAmount } from '../../../networks/rules';
import { requireOperation } from '../read';
import type { GasOperation, GasOperationType } from '../record';

/** What a person's word on an operation is worth: whether he may give it alone (decisions part 2, Two people for much money). */
export interface ToldWorth {
  amount: Decimal;
  currency: string;
  /** All that is told of a wallet in a day is one sum. */
  subject: string;
}

/** Of a coin that the ledger has no currency for no money of the books moves: it is worth nothing, in any currency. */
export const worthOf = ({
  walletId: subject,
  asset,
  decimals,
  units,
}: Pick<GasOperation, 'walletId' | 'asset' | 'decimals' | 'units'>): ToldWorth =>
  isCurrency(asset)
    ? { subject, amount: ledgerAmount(units, decimals, asset).amount, currency: asset }
    : { subject, amount: ZERO, currency: 'USD' };

/**
 * The same of an admin who tells of one over HTTP. Called before the operation is locked: what it is to move never changes.
 * @throws Problem 404
 */
export async function weighTold(
  tx: Tx,
  { id, type }: { id: string; type: GasOperationType },
  by: { decidedBy: string; at: Date },
): Promise<Weight> {
  const worth = worthOf(await requireOperation(tx, id, type));
  return weighAlone(tx, { ...worth, ...by, ever: false, person: false });
}
