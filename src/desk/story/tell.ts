import type { IdKind } from '../../kernel/ids';
import type { Teller } from '../../process/desk/story';
import { tellWithdrawalDestination } from './destinations';
import { tellGasOperation } from './gas-station';
import { tellBreak, tellCallback, tellEvent, tellQuote, tellTenant } from './house';
import { tellTransfer } from './transfers';
import { tellAllocation, tellWallet } from './wallets';

/** Stories of records whose domain declares no desk yet, by the kind of the id. */
export const TELLERS: Partial<Record<IdKind, Teller>> = {
  tenant: tellTenant,
  deposit: tellTransfer,
  ibanCredit: tellTransfer,
  chainDeposit: tellTransfer,
  externalCardTransaction: tellTransfer,
  exchangeOrder: tellTransfer,
  exchangeWithdrawal: tellTransfer,
  withdrawalDestination: tellWithdrawalDestination,
  break: tellBreak,
  callback: tellCallback,
  event: tellEvent,
  quote: tellQuote,
  wallet: tellWallet,
  walletAllocation: tellAllocation,
  sweepOperation: tellGasOperation,
  topupOperation: tellGasOperation,
};
