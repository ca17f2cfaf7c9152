import type { Tx } from '../../kernel/db/database';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { asciiUrl } from '../../kernel/wire/web-url';
import type { CardOrder, CardOrderAnswer } from '../../parties/external-cards/port';
import { type CardOrderWord, cardOrderWord } from '../../parties/external-cards/word';
import { processOfRecord } from '../../process/workflow-command';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import { type ApprovedKind, assertMayPay } from '../approval/decide';
import { statusEvent } from '../engine/events';
import type { Given, NewDecision, ProcessSubject, TransferKind } from '../engine/kind';
import { whyNotFundable } from '../funding';
import { ownerOf, ownerSealer } from '../owner-sealer';
import * as order from './order-rules';
import { type CardTerms, type CardTransfer, cardTerms } from './order-rules';
import { type ExternalCardKind, shownStatus } from './record';
import { findDetails, saveActionUrl } from './store';
import * as topup from './topup-rules';
import * as withdrawal from './withdrawal-rules';

/** Callback path of the acquirer for all orders. */
export const CALLBACK_PATH = '/callbacks/external-cards';

type CardTransferKind = TransferKind<CardTerms, CardOrderWord>;

/** Common part of both kinds. The record's id is the key of the order and the acquirer's name for it. */
const either = (kind: ExternalCardKind) =>
  ({
    party: 'externalCards',
    terms: cardTerms,
    word: cardOrderWord,
    measures: order.measures,
    amounts: ({ moved, returns }, { transfer: { terms } }) =>
      [{ amount: moved }, ...returns].map(({ amount }) => ({ amount, currency: terms.currency })),
    parts: order.parts,
    failure: order.failure,
    orders: order.orders,
    resolutions: ['credit', 'write_off', 'recover'],
    isOpen: order.isOpen,
    deadline: order.deadline,
    eventsOf,
    consider: stopped,
    async give(services, situation) {
      const given = await orderOf(services, situation);
      return answered(services, situation, await services.parties.externalCards.order(kind, given));
    },
    async ask(services, situation) {
      const answer = await services.parties.externalCards.ask(situation.transfer.id);
      return answer === 'unknown_to_party' ? answer : answered(services, situation, answer);
    },
  }) satisfies Partial<CardTransferKind>;

/** Events of a status as clients see it. An approval has none, because clients see `pending` before and after it. */
function eventsOf({ transfer, ...situation }: CardTransfer, previous: string): WebhookEvent[] {
  const [status, before] = [shownStatus(transfer.status), shownStatus(previous)];
  if (status === before) return [];
  return statusEvent({ ...situation, transfer: { ...transfer, status } }, before, 'transfer');
}

const processNamed = (prefix: string, summary: string) =>
  processOfRecord<ProcessSubject>({ workflow: 'externalCardTransfer', prefix, summary });

/** A top-up of an account from an external payment card (decisions part 4, Users and accounts). */
export const cardTopupKind: CardTransferKind = {
  ...either('topup'),
  name: 'card_topup',
  idKind: 'externalCardTransaction',
  process: processNamed('card-topup-', 'Top-up from a payment card'),
  components: topup.COMPONENTS,
  transitions: topup.TRANSITIONS,
  choose: topup.choose,
  concluded: topup.concluded,
  trigger: topup.trigger,
  position: topup.position,
  notices: topup.notices,
};

/** A withdrawal from an account to an external payment card (decisions part 4, Users and accounts). */
export const cardWithdrawalKind: ApprovedKind<CardTerms, CardOrderWord> = {
  ...either('withdrawal'),
  name: 'card_withdrawal',
  idKind: 'externalCardTransaction',
  noun: 'withdrawal',
  assertApprovable: assertMayPay,
  process: processNamed('card-withdrawal-', 'Withdrawal to a payment card'),
  components: withdrawal.COMPONENTS,
  transitions: withdrawal.TRANSITIONS,
  choose: () => undefined,
  concluded: withdrawal.concluded,
  trigger: withdrawal.trigger,
  position: withdrawal.position,
  notices: () => [],
};

export const CARD_KINDS = { topup: cardTopupKind, withdrawal: cardWithdrawalKind } as const;

/** The order to the acquirer. Every repetition is equal to the first. */
async function orderOf(services: Services, situation: CardTransfer): Promise<CardOrder> {
  const { transfer } = situation;
  const { database, keyring } = services;
  const { id, tenantId, terms } = transfer;
  if (tenantId === null) throw new Error(`the card transfer ${id} has no tenant`);
  const [details, tenant] = await Promise.all([
    findDetails(database, { id }),
    requireTenant(database, tenantId),
  ]);
  if (!details) throw new Error(`the card transfer ${id} has no details`);
  const { userId, token, returnUrl } = details;
  const owner = await ownerOf(database, userId);
  return {
    key: id,
    token: ownerSealer(keyring, owner, 'external-cards').open(token, id).toString('utf8'),
    amount: terms.amount,
    currency: terms.currency,
    merchant: tenant.name,
    returnUrl: returnUrl && asciiUrl(returnUrl),
    expiresAt: order.actionExpiresAt(situation),
    callbackUrl: services.publicUrl() + CALLBACK_PATH,
  };
}

/** Seals the payer's page and stores it apart from the word, because it is a secret. */
function answered(
  { keyring }: Services,
  { transfer: { id } }: CardTransfer,
  { word, actionUrl }: CardOrderAnswer,
): Given<CardOrderWord> {
  if (actionUrl === undefined) return { word };
  const sealed = keyring.sealer('external-cards').seal(Buffer.from(actionUrl), id);
  return { word, keep: (tx) => saveActionUrl(tx, id, sealed) };
}

/** Stops a transfer before the acquirer may have it, when its user was blocked or its account closed. */
async function stopped(tx: Tx, { transfer }: CardTransfer): Promise<NewDecision | undefined> {
  const { accountId, status, orderedAt } = transfer;
  if (status !== 'pending' || orderedAt !== null || accountId === null) return undefined;
  const reason = await whyNotFundable(tx, accountId);
  return reason === undefined ? undefined : { kind: 'stop', reason };
}
