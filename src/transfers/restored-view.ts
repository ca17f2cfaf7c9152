import { formatAmount } from '../kernel/money/money';
import type { Restored } from './restored';

/** Output of a preview of following a lower version. Also stored with an approval. */
export const restoredView = ({
  id,
  kind,
  tenantId,
  known,
  told,
  word,
  status,
  becomes,
  moves,
}: Restored) => ({
  id,
  kind,
  clientId: tenantId,
  known,
  told,
  word,
  status,
  becomes,
  moves: moves.map(({ component, account, amount, currency }) => ({
    component,
    accountId: account,
    amount: formatAmount(amount, currency),
    currency,
  })),
});
