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
import { tellCardholder, tellDocument, tellFile, tellUser } from './people';

/** Stories of records whose domain declares no desk yet, by the kind of the id. */
export const TELLERS: Partial<Record<IdKind, Teller>> = {
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
};
