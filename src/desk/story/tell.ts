import type { IdKind } from '../../kernel/ids';
import type { Teller } from '../../process/desk/story';
import {
  tellAccount,
  tellAccountExchange,
  tellCard,
  tellCardOperation,
  tellCardTransaction,
  tellChallenge,
  tellProcessorMessage,
  tellReference,
  tellTokenization,
  tellVirtualIban,
} from './accounts';
import { tellWithdrawalDestination } from './destinations';
import { tellBreak, tellCallback, tellEvent, tellQuote, tellTenant } from './house';
import { tellCardholder, tellDocument, tellFile, tellUser } from './people';
import { tellTransfer } from './transfers';

/** Stories of records whose domain declares no desk yet, by the kind of the id. */
export const TELLERS: Partial<Record<IdKind, Teller>> = {
  tenant: tellTenant,
  user: tellUser,
  cardholder: tellCardholder,
  kycDocument: tellDocument,
  file: tellFile,
  account: tellAccount,
  accountExchange: tellAccountExchange,
  virtualIban: tellVirtualIban,
  card: tellCard,
  cardOperation: tellCardOperation,
  cardTransaction: tellCardTransaction,
  processorMessage: tellProcessorMessage,
  challenge: tellChallenge,
  tokenization: tellTokenization,
  reference: tellReference,
  deposit: tellTransfer,
  ibanCredit: tellTransfer,
  externalCardTransaction: tellTransfer,
  exchangeOrder: tellTransfer,
  exchangeWithdrawal: tellTransfer,
  withdrawalDestination: tellWithdrawalDestination,
  break: tellBreak,
  callback: tellCallback,
  event: tellEvent,
  quote: tellQuote,
};
