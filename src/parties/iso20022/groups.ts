import type { BankFilesSettings } from '../../kernel/config/bank-files';
import type { CreditTransfer, TransferGroup } from './messages/credit-transfers';
import type { AccountHolder } from './messages/parties';
import { dayText } from './messages/words';
import type { BankOrder } from './store/orders';

/** The part of an order that is sealed until the order stands in a file. */
export interface SealedPayee {
  payee: AccountHolder;
  text: string | undefined;
}

/** A group of transfers of one service and one currency, from our account in that currency. */
export function groupOf(
  { accounts, bic, company, swiftCharges }: BankFilesSettings,
  given: { id: string; service: BankOrder['service']; transfers: readonly CreditTransfer[]; at: Date },
): TransferGroup {
  const { id, service, transfers, at } = given;
  const account = accounts.find(({ currency }) => currency === transfers[0]?.currency);
  return {
    id,
    executionDay: dayText(at),
    service,
    charges: service === 'sepa' ? 'SLEV' : swiftCharges,
    payer: { name: company, iban: account?.iban, bic },
    transfers,
  };
}
