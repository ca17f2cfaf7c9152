import { type Account, assertAccountOpen, requireAccount } from '../../accounts/accounts/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { invalid, notFound } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { requireCardholder } from '../../people/cardholders/operations';
import { requireUser } from '../../people/users/operations';
import {
  createQuote,
  findQuote,
  type LockedQuote,
  lockQuote,
  type Quote,
} from '../../process/quotes/operations';
import type { Funding } from '../buffered/record';
import { divideAmount } from '../buffered/rules';
import { requireLockedCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { assertTakesMoney } from '../events/rules/funding/funding';
import { assertIssuable } from '../issuance/assert-issuable';
import { assertFitTogether } from '../issuance/rules';
import { requireAdmittedBin } from '../programmes/operations';
import type { CardServices } from '../services';

/** How long a quote is valid. */
const QUOTE_SECONDS = 5 * 60;

interface FundingRequest {
  accountId: string;
  amount: Decimal;
  /** The share of the amount that is set aside, 0 to 0.5. */
  allocation: Decimal;
}

export interface IssueQuoteRequest extends FundingRequest {
  userId: string;
  cardholderId: string;
  bin: string;
}

/** The terms that were offered, with the quote that keeps them. */
export interface Offer {
  quote: Quote;
  funding: Funding;
  currency: string;
}

/**
 * Quotes a card with a buffer, if it could be issued now.
 * @throws Problem 404 and 400 naming the field; 409 as `assertIssuable`
 */
export async function quoteIssue(
  { now }: Pick<CardServices, 'now'>,
  tx: Tx,
  { userId, accountId, cardholderId, bin: asked, amount, allocation }: IssueQuoteRequest,
  reach: string | null,
): Promise<Offer> {
  const user = await requireUser(tx, reach, userId, { field: 'userId' });
  const { tenantId } = user;
  const account = await requireAccount(tx, tenantId, accountId, 'accountId');
  const cardholder = await requireCardholder(tx, tenantId, cardholderId, 'cardholderId');
  const bin = await requireAdmittedBin(tx, tenantId, asked, 'bin');
  if (cardholder.bin !== bin.bin) throw invalid('bin must be the BIN of the cardholder.', 'bin');
  assertFitTogether({ user, account, cardholder, currency: bin.currency, amount });
  const funding = { ...divideAmount(amount, allocation, bin.currency), fee: bin.fees.issue };
  await assertIssuable(tx, { user, account, cardholder, bin });
  const terms = { userId, cardholderId, ...amountsAsText(funding) };
  const quote = storeQuote(tx, account, 'card_issue', terms, now());
  return { quote, funding, currency: bin.currency };
}

/**
 * Quotes the top-up of a card and its buffer. A frozen card may be topped up.
 * @throws Problem 404, 400 naming the field; 409 `user_blocked`, `card_closed`, `card_not_active`, `account_closed`
 */
export async function quoteTopup(
  { now, programmes }: Pick<CardServices, 'now' | 'programmes'>,
  tx: Tx,
  cardId: string,
  { accountId, amount, allocation }: FundingRequest,
  reach: string | null,
): Promise<Offer> {
  const card = await reachedCard(tx, cardId, reach);
  const account = await requireAccount(tx, card.tenantId, accountId, 'accountId');
  if (account.id !== card.accountId) throw invalid('accountId must be the account of the card.', 'accountId');
  assertFits(amount, card.currency);
  const parts = divideAmount(amount, allocation, card.currency);
  assertTakesMoney(card);
  await assertAccountOpen(tx, account, 'accountId');
  const programme = (await programmes.of(tx, [card.bin])).get(card.bin);
  if (!programme) throw new Error(`there is no programme for BIN ${card.bin}`);
  const funding = { ...parts, fee: programme.fees.topUp };
  const quote = storeQuote(tx, account, 'card_topup', { cardId, ...amountsAsText(funding) }, now());
  return { quote, funding, currency: card.currency };
}

/** Locks a card within the caller's reach until the end of the transaction. @throws Problem 404 */
export async function reachedCard(tx: Tx, id: string, reach: string | null): Promise<Card> {
  const card = await requireLockedCard(tx, id);
  if (reach !== null && card.tenantId !== reach) throw notFound('card');
  return card;
}

/** Locks the quote of an issuance until the end of the transaction. @throws Problem 404 naming `quoteId` */
export async function lockIssueQuote(tx: Tx, quoteId: string, reach: string | null): Promise<LockedQuote> {
  const { tenantId, accountId } = (await findReached(tx, quoteId, reach)) ?? { tenantId: '', accountId: '' };
  return lockQuote(tx, { tenantId, accountId, quoteId, kind: 'card_issue' });
}

async function findReached(sql: Sql, quoteId: string, reach: string | null): Promise<Quote | undefined> {
  const quote = await findQuote(sql, quoteId);
  return quote && (reach === null || quote.tenantId === reach) ? quote : undefined;
}

const amountsAsText = ({ principal, buffer, fee }: Funding) => ({
  principal: principal.toFixed(),
  buffer: buffer.toFixed(),
  fee: fee.toFixed(),
});

const storeQuote = (
  tx: Tx,
  account: Account,
  kind: 'card_issue' | 'card_topup',
  terms: Quote['terms'],
  at: Date,
) =>
  createQuote(tx, {
    tenantId: account.tenantId,
    accountId: account.id,
    kind,
    terms,
    ttlSeconds: QUOTE_SECONDS,
    at,
  });
