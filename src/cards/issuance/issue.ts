import { move } from '../../accounts/accounts/move';
import { assertAccountOpen, requireAccount, requireMasterAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { openLedgerAccount } from '../../kernel/ledger/accounts';
import { holdEntry } from '../../kernel/ledger/entries';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { requireCardholder } from '../../people/cardholders/operations';
import { requireUser } from '../../people/users/operations';
import { openBuffer } from '../buffered/operations';
import { totalDebit } from '../buffered/record';
import { type CardCall, insertCard } from '../cards/operations';
import type { Card } from '../cards/record';
import { startIssuance } from '../cards/workflows';
import { hasLimits } from '../events/limits/operations';
import { requireAdmittedBin } from '../programmes/operations';
import type { CardServices } from '../services';
import { assertIssuable } from './assert-issuable';
import { assertFitTogether } from './rules';

/** The body of `POST /v1/cards`, with the fields that an accepted quote adds. */
export interface CardRequest {
  userId: string;
  accountId: string;
  cardholderId: string;
  label?: string | undefined;
  amount?: Decimal | undefined;
  /** The amount that is set aside in the buffer; default zero. */
  buffer?: Decimal | undefined;
  /** The fee that was quoted; default the programme's present fee. */
  fee?: Decimal | undefined;
}

/**
 * Creates a pending card, holds its amount and issue fee on the account, and starts its issuance.
 * @throws Problem 404 and 400 naming the field; 409 `user_blocked`, `cardholder_not_approved`, `bin_closed`,
 * `account_closed`, `limit_exceeded`, `insufficient_funds`, in this order
 */
export async function requestCard(
  services: CardServices,
  tx: Tx,
  request: CardRequest,
  call: CardCall,
): Promise<Card> {
  const parts = await findParts(tx, request, call.caller.reach);
  const { user, account, cardholder, bin } = parts;
  assertFitTogether({ user, account, cardholder, currency: bin.currency, amount: request.amount });
  await assertIssuable(tx, parts);
  const master = await requireMasterAccount(tx, user.tenantId, bin.currency);
  await assertAccountOpen(tx, master, 'accountId');
  const { amount = ZERO, buffer = ZERO } = request;
  const card = await insertCard(tx, {
    id: newId('card'),
    tenantId: user.tenantId,
    userId: user.id,
    accountId: account.id,
    masterAccountId: master.id,
    cardholderId: cardholder.id,
    bin: bin.bin,
    scheme: bin.scheme,
    currency: bin.currency,
    bufferAccountId: await openBuffer(tx, { tenantId: user.tenantId, currency: bin.currency }, buffer),
    label: request.label ?? null,
    initialAmount: amount,
    issueFee: request.fee ?? bin.fees.issue,
    idempotencyKey: call.idempotencyKey ?? null,
    limited: await hasLimits(tx, user.id),
  });
  const { id, tenantId, currency } = card;
  await openLedgerAccount(tx, { id, kind: 'card', tenantId, currency });
  services.commands.append(tx, [startIssuance(card)]);
  await holdFor(tx, card, buffer);
  return card;
}

/**
 * The records of an issuance. An admin reaches every tenant's users; account, cardholder and BIN must be of the user's
 * tenant.
 */
async function findParts(tx: Tx, { userId, accountId, cardholderId }: CardRequest, reach: string | null) {
  const user = await requireUser(tx, reach, userId, { field: 'userId' });
  const account = await requireAccount(tx, user.tenantId, accountId, 'accountId');
  const cardholder = await requireCardholder(tx, user.tenantId, cardholderId, 'cardholderId');
  const bin = await requireAdmittedBin(tx, user.tenantId, cardholder.bin, 'cardholderId');
  return { user, account, cardholder, bin };
}

/** Holds the amount last, because the account may be the busiest row of the tenant. */
async function holdFor(tx: Tx, card: Card, buffer: Decimal): Promise<void> {
  const held = totalDebit({ principal: card.initialAmount, buffer, fee: card.issueFee });
  if (held.isZero()) return;
  await move(tx, { entries: [holdEntry(card.accountId, 'pending/card_issue', held, card.id)] }, {});
}
