import type { WebhookEvent } from '../../kernel/outbox/events';
import { redirectContext } from '../../kernel/security/sealed-columns';
import { asciiUrl } from '../../kernel/wire/web-url';
import { type CheckoutWord, checkoutWord } from '../../parties/checkout/word';
import { processOf, processOfRecord } from '../../process/workflow-command';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import { askedIn } from '../engine/books/inflow';
import type { Given, NamedByParty, Order, ProcessSubject, TransferKind } from '../engine/kind';
import { concludedDeposit } from './conclusion';
import * as money from './money';
import { type ClientDeposit, type Deposit, type DepositTerms, depositTerms } from './money';
import { noticesOfDeposit } from './notices';
import { type DepositStatus, TOLD_STATUSES } from './record';
import * as rules from './rules';
import { detailsOf, saveRedirect } from './store';
import { shownPrice } from './view';

/** Callback address of the party for all sessions. */
export const CALLBACK_PATH = '/callbacks/checkout';

export const unknownSession = processOf<NamedByParty>({
  workflow: 'checkoutPayment',
  prefix: 'checkout-payment-',
  summary: 'A checkout session without a deposit',
  key: ({ partyRef }) => [partyRef ?? ''],
});

/**
 * A deposit by hosted checkout (`interface.md 3.2`, decisions part 4). A payment of a session without a deposit is
 * the same kind without terms and account, all of it in suspense.
 */
export const depositKind: TransferKind<DepositTerms, CheckoutWord> = {
  name: 'deposit',
  idKind: 'deposit',
  party: 'checkout',
  process: processOfRecord<ProcessSubject>({
    workflow: 'depositLifecycle',
    prefix: 'deposit-',
    summary: 'Deposit by hosted checkout',
  }),
  strangers: unknownSession,
  terms: depositTerms,
  word: checkoutWord,
  components: money.COMPONENTS,
  transitions: rules.DEPOSIT_TRANSITIONS,
  resolutions: ['return', 'credit', 'write_off', 'recover'],
  pledged: rules.pledged,
  asked: (deposit) => askedIn({ backs: money.backsOf(deposit) }),
  choose: rules.choose,
  measures: money.measures,
  amounts: ({ payments, refunds, disputes }) => [...payments, ...refunds, ...disputes],
  parts: money.parts,
  trigger: rules.trigger,
  failure: rules.failure,
  position: money.position,
  orders: rules.orders,
  concluded: concludedDeposit,
  unlisted: ({ parties }, { transfer: { word } }) =>
    parties.checkout.settlesSilently === true &&
    (word?.payments.some(({ status }) => status === 'pending') ?? false),
  isOpen: rules.isOpen,
  deadline: ({ transfer: { status, terms } }) =>
    status === 'created' || status === 'awaiting_payment' ? (terms?.expiresAt ?? null) : null,
  notices: noticesOfDeposit,
  eventsOf,
  give: (services, deposit, order) =>
    order.what === 'open'
      ? openSession(services, deposit as ClientDeposit)
      : refund(services, deposit, order),
  async ask({ parties }, { transfer: { partyRef } }) {
    const word = await parties.checkout.ask(partyRef ?? '');
    return word === 'unknown_to_party' ? word : { word };
  },
};

/** Orders the payer's page. The same key always gives the same page. */
async function openSession(services: Services, { transfer }: ClientDeposit): Promise<Given<CheckoutWord>> {
  const { id, tenantId, terms } = transfer;
  const { database } = services;
  if (tenantId === null) throw new Error(`the deposit ${id} has no tenant`);
  const [found, tenant] = await Promise.all([detailsOf(database, [id]), requireTenant(database, tenantId)]);
  const details = found.get(id);
  if (!details) throw new Error(`the deposit ${id} has no details`);
  const { sessionId, redirectUrl, word } = await services.parties.checkout.createSession({
    key: id,
    depositId: id,
    method: terms.method,
    amount: terms.chargedAmount,
    currency: terms.currency,
    merchant: tenant.name,
    expiresAt: terms.expiresAt,
    returnUrl: asciiUrl(details.returnUrl),
    callbackUrl: services.publicUrl() + CALLBACK_PATH,
  });
  const sealed = services.keyring
    .sealer('checkout-pages')
    .seal(Buffer.from(redirectUrl), redirectContext(id));
  // A new page has no state yet. Null skips the question to the party, unless the page's time is over.
  const state = terms.expiresAt > services.now() ? null : undefined;
  return { partyRef: sessionId, word: word ?? state, keep: (tx) => saveRedirect(tx, id, sealed) };
}

async function refund({ parties }: Services, deposit: Deposit, { key }: Order): Promise<Given<CheckoutWord>> {
  const { partyRef } = deposit.transfer;
  const back = money.backsOf(deposit).find(({ part }) => part === key);
  if (!back || partyRef === null) throw new Error('the order names no refund of this deposit');
  const { amount, currency } = back;
  await parties.checkout.refund({ key, sessionId: partyRef, amount, currency });
  return {};
}

/** `account.deposit.<status>` (`interface.md 2.3, 3.2`). */
function eventsOf(situation: Deposit): WebhookEvent[] {
  const { id, tenantId, accountId, status, terms, idempotencyKey, createdAt, reached } = situation.transfer;
  if (!terms || tenantId === null || !TOLD_STATUSES.includes(status)) return [];
  const completedAt = completedOf(status as DepositStatus, reached, situation.at);
  return [
    {
      tenantId,
      registration: 'deposit',
      event: `account.deposit.${status}`,
      data: {
        id,
        status,
        accountId,
        ...shownPrice(situation as ClientDeposit),
        createdAt: createdAt.toISOString(),
        ...(completedAt === undefined ? {} : { completedAt }),
      },
      at: situation.at,
      idempotencyKey,
    },
  ];
}

/** When the deposit completed. The status of this event is not among the reached ones yet. */
const completedOf = (status: DepositStatus, reached: Readonly<Record<string, string>>, at: Date) =>
  reached['completed'] ?? (status === 'completed' ? at.toISOString() : undefined);
