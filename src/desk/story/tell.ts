import { notFound } from '../../kernel/errors';
import { type IdKind, kindOfId } from '../../kernel/ids';
import type { DeskDeps } from '../queue';
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
import { tellGasOperation } from './gas-station';
import { tellBreak, tellCallback, tellEvent, tellQuote, tellSubject, tellTenant } from './house';
import { tellCardholder, tellDocument, tellFile, tellUser } from './people';
import type { Story, Teller } from './story';
import { tellDecision, tellTransfer } from './transfers';
import { tellAllocation, tellWallet } from './wallets';

/** Story by the prefix of the id. */
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
  payout: tellTransfer,
  ibanPayout: tellTransfer,
  ibanCredit: tellTransfer,
  chainDeposit: tellTransfer,
  externalCardTransaction: tellTransfer,
  exchangeOrder: tellTransfer,
  exchangeWithdrawal: tellTransfer,
  withdrawalDestination: tellWithdrawalDestination,
  decision: tellDecision,
  break: tellBreak,
  callback: tellCallback,
  event: tellEvent,
  quote: tellQuote,
  wallet: tellWallet,
  walletAllocation: tellAllocation,
  sweepOperation: tellGasOperation,
  topupOperation: tellGasOperation,
};

/** Longest list of a story. */
export const MAX_LINES = 1_000;

/**
 * The story of any public id, or of any subject of the audit log or a break.
 * @param limit newest lines of each list
 * @throws Problem 404
 */
export async function tell(deps: DeskDeps, id: string, limit: number): Promise<Story> {
  const kind = kindOfId(id);
  const teller = (kind && TELLERS[kind]) ?? tellSubject;
  const story = await teller(deps, id, limit);
  if (!story) throw notFound(kind ?? id);
  return story;
}
