import { move } from '../../accounts/accounts/move';
import { assertAccountOpen } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import type { OperationKey } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { holdEntry } from '../../kernel/ledger/entries';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import { forgetStop } from '../../process/stops/operations';
import { endOperation, noteStatus } from '../buffered/end-operation';
import { insertOperation, newestOperationOf, openBuffer } from '../buffered/operations';
import { type CardOperation, type Funding, issueTerms, topupTerms, totalDebit } from '../buffered/record';
import { startOperation } from '../buffered/workflows';
import { keepBufferAccount } from '../cards/operations';
import type { Card } from '../cards/record';
import { isClosed } from '../cards/rules';
import { startClosure } from '../cards/workflows';
import { recordCardEvent } from '../events/operations';
import { assertTakesMoney } from '../events/rules/funding/funding';
import { requestCard } from '../issuance/issue';
import type { CardServices } from '../services';
import { lockIssueQuote, reachedCard } from './quote';

/** The caller of an operation and its idempotency key. Only a closure may lack the key. */
export interface OperationCall extends Pick<OperationKey, 'callerId'> {
  reach: string | null;
  idempotencyKey: string | null;
}

const NOTHING: Funding = { principal: ZERO, buffer: ZERO, fee: ZERO };

/**
 * Accepts the quote of an issuance. The card is pending, and its total debit is held.
 * @throws Problem 404 `quoteId`; 409 `quote_used`, `quote_expired`, and as `requestCard`
 */
export async function acceptIssue(
  services: CardServices,
  tx: Tx,
  { quoteId, label }: { quoteId: string; label?: string | undefined },
  call: OperationCall,
): Promise<CardOperation> {
  const quote = await lockIssueQuote(tx, quoteId, call.reach);
  const { userId, cardholderId, ...funding } = issueTerms.parse(quote.terms);
  const { accountId } = quote;
  const id = newId('cardOperation');
  takeQuote(tx, quote, { usedBy: id, at: services.now() });
  const { principal: amount, buffer, fee } = funding;
  const card = await requestCard(
    services,
    tx,
    { userId, accountId, cardholderId, label, amount, buffer, fee },
    { caller: call, idempotencyKey: call.idempotencyKey ?? undefined },
  );
  return accepted(services, tx, card, { id, type: 'issue', quoteId, ...funding }, call);
}

/**
 * Accepts the quote of a top-up. The total debit is held on the account until the operation is carried out.
 * @throws Problem 404; 409 `user_blocked`, `card_closed`, `card_not_active`, `quote_used`, `quote_expired`,
 * `account_closed`, `insufficient_funds`
 */
export async function acceptTopup(
  services: CardServices,
  tx: Tx,
  { cardId, quoteId }: { cardId: string; quoteId: string },
  call: OperationCall,
): Promise<CardOperation> {
  const card = await reachedCard(tx, cardId, call.reach);
  const { tenantId, accountId } = card;
  const quote = await lockQuote(tx, { tenantId, accountId, quoteId, kind: 'card_topup' });
  const { cardId: quoted, ...funding } = topupTerms.parse(quote.terms);
  if (quoted !== cardId) throw notFound('quote', 'quoteId');
  const id = newId('cardOperation');
  takeQuote(tx, quote, { usedBy: id, at: services.now() });
  assertTakesMoney(card);
  await assertAccountOpen(tx, { id: accountId });
  if (card.bufferAccountId === null) {
    const bufferAccountId = await openBuffer(tx, card, funding.buffer);
    if (bufferAccountId !== null) await keepBufferAccount(tx, cardId, bufferAccountId);
  }
  const held = holdEntry(accountId, 'pending/card_funding', totalDebit(funding), id);
  await move(tx, { entries: [held] }, { field: 'quoteId' });
  return accepted(services, tx, card, { id, type: 'topup', quoteId, ...funding }, call);
}

/**
 * Withdraws money from a card to its account, never from the buffer. The money moves in this transaction, because an
 * accepted withdrawal must not fail later. The caller sees `accepted`, although the stored operation is completed.
 * @throws Problem 404; 400 for too many decimals; 409 `card_closed`, `card_not_active`, `insufficient_funds`
 */
export async function acceptWithdrawal(
  services: CardServices,
  tx: Tx,
  { cardId, amount }: { cardId: string; amount: Decimal },
  call: OperationCall,
): Promise<CardOperation> {
  const card = await reachedCard(tx, cardId, call.reach);
  assertFits(amount, card.currency);
  const { idempotencyKey } = call;
  const message = { type: 'withdraw', cardId, amount, idempotencyKey, reach: null } as const;
  const { told } = await recordCardEvent(tx, services, message);
  const given: NewOperation = { ...NOTHING, id: newId('cardOperation'), type: 'withdraw', principal: amount };
  const operation = await insertAccepted(services, tx, card, given, call);
  await endOperation(services, tx, operation, { told });
  return operation;
}

/**
 * Begins the closure of a card. The card declines from now on, and is closed when the processor confirms. A repeated
 * request returns the same operation.
 * @throws Problem 404; 409 `card_not_active`, and `card_closed` when the card was closed without such an operation
 */
export async function acceptClosure(
  services: CardServices,
  tx: Tx,
  cardId: string,
  call: OperationCall,
): Promise<CardOperation> {
  const card = await reachedCard(tx, cardId, call.reach);
  if (isClosed(card.status)) {
    const known = await newestOperationOf(tx, cardId, 'close');
    if (known) return known;
  }
  await recordCardEvent(tx, services, { type: 'begin_closure', cardId, reach: call.reach });
  await forgetStop(tx, 'card', cardId); // a frozen card may be closed too
  services.commands.append(tx, [startClosure(card)]);
  return accepted(services, tx, card, { ...NOTHING, id: newId('cardOperation'), type: 'close' }, call);
}

type NewOperation = Pick<CardOperation, 'id' | 'type' | keyof Funding> & { quoteId?: string };

/** Inserts an operation and starts the workflow that carries it out. */
async function accepted(
  services: CardServices,
  tx: Tx,
  card: Card,
  given: NewOperation,
  call: OperationCall,
): Promise<CardOperation> {
  const operation = await insertAccepted(services, tx, card, given, call);
  services.commands.append(tx, [startOperation(operation)]);
  return operation;
}

async function insertAccepted(
  services: CardServices,
  tx: Tx,
  { id: cardId, tenantId, accountId, currency }: Card,
  given: NewOperation,
  { idempotencyKey, callerId }: OperationCall,
): Promise<CardOperation> {
  const at = services.now();
  const operation: CardOperation = {
    quoteId: null,
    ...given,
    tenantId,
    cardId,
    accountId,
    currency,
    idempotencyKey,
    callerId,
    status: 'accepted',
    result: null,
    failure: null,
    createdAt: at,
    updatedAt: at,
  };
  await insertOperation(tx, operation);
  noteStatus(tx, operation, null);
  return operation;
}
