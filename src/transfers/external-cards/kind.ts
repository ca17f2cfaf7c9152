import { requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { asciiUrl } from '../../kernel/wire/web-url';
import type { CardOrder, CardOrderAnswer } from '../../parties/external-cards/port';
import { type CardOrderWord, cardOrderWord } from '../../parties/external-cards/word';
import { processOf } from '../../process/workflow-command';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import { statusEvent } from '../engine/events';
import type { Given, NewDecision, ProcessSubject, TransferKind } from '../engine/kind';
import { whyNotFundable } from '../funding';
import {
  type CardTerms,
  type CardTransfer,
  cardTerms,
  deadlineOf,
  failureOf,
  isOpen,
  measuresOf,
  ordersOf,
  partsOf,
} from './order-rules';
import type { ExternalCardKind } from './record';
import { saveActionUrl, sealedTokenOf } from './store';
import {
  chooseForTopup,
  concludedTopup,
  noticesOfTopup,
  TOPUP_COMPONENTS,
  TOPUP_TRANSITIONS,
  topupPosition,
  triggerOfTopup,
} from './topup-rules';
import {
  concludedWithdrawal,
  triggerOfWithdrawal,
  WITHDRAWAL_COMPONENTS,
  WITHDRAWAL_TRANSITIONS,
  withdrawalPosition,
} from './withdrawal-rules';

/** Where the acquirer calls back: one address for all orders. */
export const CALLBACK_PATH = '/callbacks/external-cards';

type CardTransferKind = TransferKind<CardTerms, CardOrderWord>;

/** What is the same of both. The acquirer knows each by the record's id, which is the key of its order. */
const either = (kind: ExternalCardKind) =>
  ({
    party: 'externalCards',
    terms: cardTerms,
    word: cardOrderWord,
    measures: measuresOf,
    amounts: ({ moved, returns }, { transfer: { terms } }) =>
      [{ amount: moved }, ...returns].map(({ amount }) => ({ amount, currency: terms.currency })),
    parts: partsOf,
    failure: failureOf,
    orders: ordersOf,
    doors: ['credit', 'write_off', 'recover'],
    isOpen,
    deadline: deadlineOf,
    told: (situation, previous) => statusEvent(situation, previous, 'transfer'),
    consider: stopped,
    async give(services, situation) {
      const order = await orderOf(services, situation);
      return answered(services, situation, await services.parties.externalCards.order(kind, order));
    },
    async ask(services, situation) {
      const answer = await services.parties.externalCards.ask(situation.transfer.id);
      return answer === 'unknown_to_party' ? answer : answered(services, situation, answer);
    },
  }) satisfies Partial<CardTransferKind>;

const processNamed = (prefix: string, summary: string) =>
  processOf<ProcessSubject>({ workflow: 'externalCardTransfer', prefix, summary, key: ({ id }) => [id] });

/** A top-up of an account from a payment card elsewhere (decisions part 4, Users and accounts). */
export const cardTopupKind: CardTransferKind = {
  ...either('topup'),
  name: 'card_topup',
  process: processNamed('card-topup-', 'Top-up from a payment card'),
  components: TOPUP_COMPONENTS,
  transitions: TOPUP_TRANSITIONS,
  choose: chooseForTopup,
  concluded: concludedTopup,
  trigger: triggerOfTopup,
  position: topupPosition,
  notices: noticesOfTopup,
};

/** A withdrawal from an account to a payment card elsewhere (decisions part 4, Users and accounts). */
export const cardWithdrawalKind: CardTransferKind = {
  ...either('withdrawal'),
  name: 'card_withdrawal',
  process: processNamed('card-withdrawal-', 'Withdrawal to a payment card'),
  components: WITHDRAWAL_COMPONENTS,
  transitions: WITHDRAWAL_TRANSITIONS,
  choose: () => undefined,
  concluded: concludedWithdrawal,
  trigger: triggerOfWithdrawal,
  position: withdrawalPosition,
  notices: () => [],
};

export const CARD_KINDS = { topup: cardTopupKind, withdrawal: cardWithdrawalKind } as const;

/** What the acquirer is asked to do: the same, whenever it is asked. */
async function orderOf(services: Services, { transfer }: CardTransfer): Promise<CardOrder> {
  const { database, keyring } = services;
  const { id, tenantId, terms } = transfer;
  const details = await sealedTokenOf(database, id);
  if (!details || tenantId === null) throw new Error(`the card transfer ${id} has no details`);
  const { token, returnUrl } = details;
  return {
    key: id,
    token: keyring.sealer('external-cards').open(token, id).toString('utf8'),
    amount: terms.amount,
    currency: terms.currency,
    merchant: (await requireTenant(database, tenantId)).name,
    returnUrl: returnUrl && asciiUrl(returnUrl),
    expiresAt: terms.actionExpiresAt,
    callbackUrl: services.publicUrl() + CALLBACK_PATH,
  };
}

/** The page is a secret of the payer's: it is kept sealed, apart from the word. */
function answered(
  { keyring }: Services,
  { transfer: { id } }: CardTransfer,
  { word, actionUrl }: CardOrderAnswer,
): Given<CardOrderWord> {
  if (actionUrl === undefined) return { word };
  const sealed = keyring.sealer('external-cards').seal(Buffer.from(actionUrl), id);
  return { word, keep: (tx) => saveActionUrl(tx, id, sealed) };
}

/** Until the order may have reached the acquirer, a user who was blocked or an account that was closed stops it. */
async function stopped(tx: Tx, { transfer }: CardTransfer): Promise<NewDecision | undefined> {
  const { tenantId, accountId, status, orderedAt } = transfer;
  if (status !== 'pending' || orderedAt !== null || accountId === null) return undefined;
  const account = await requireAccount(tx, tenantId, accountId);
  const reason = await whyNotFundable(tx, account);
  return reason === undefined ? undefined : { kind: 'stop', reason };
}
