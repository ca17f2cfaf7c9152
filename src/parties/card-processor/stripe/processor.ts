import Stripe from 'stripe';
import type { StripeIssuingSettings } from '../../../kernel/config/stripe';
import type { Database } from '../../../kernel/db/database';
import { PartyRefused, UnreadableCallback } from '../../../process/party-errors';
import type { PartyChange } from '../../protocol/changes';
import { fromMinorUnits } from '../../stripe/amounts';
import { createStripeClient, type StripeClientOptions } from '../../stripe/client';
import { isReadable, verifiedEvent } from '../../stripe/event';
import { changesFromEvents } from '../../stripe/event-list';
import { namesOf } from '../../stripe/names';
import { isOurs, reading } from '../../stripe/requests';
import type { CardProcessor } from '../port';
import { type NetworkReport, NOTHING_REPORTED, reportName, reportRef } from '../report';
import { createCards, KEYS } from './cards';
import { networkReportOf } from './report';

export interface StripeIssuingOptions
  extends Pick<StripeIssuingSettings, 'secretKey' | 'webhookSecrets' | 'programmes'>,
    Pick<StripeClientOptions, 'server'> {
  database: Database;
  now?: () => Date;
}

/** Events that the list of changes reads. A request for an authorization is a question, so the list leaves it out. */
const NETWORK_TYPES: readonly string[] = [
  'issuing_authorization.created',
  'issuing_authorization.updated',
  'issuing_transaction.created',
];
const CARD_TYPES: readonly string[] = ['issuing_card.created', 'issuing_card.updated'];

/** Number of listed events that are kept until they are read, a few pages. */
const MAX_KEPT = 1_000;

/** Stripe Issuing as the card processor. Tokens of wallets are added on the cardholder's phone alone. */
export function createStripeCardProcessor(options: StripeIssuingOptions): CardProcessor {
  const { webhookSecrets: secrets, programmes, database, now = () => new Date() } = options;
  const stripe = createStripeClient(options);
  const cards = createCards({
    stripe,
    programmes,
    names: namesOf(database, 'cardProcessor'),
    cardholders: namesOf(database, 'cardholderReview'),
  });
  const kept = new Map<string, Stripe.Event>();

  function keep(event: Stripe.Event): void {
    kept.set(event.id, event);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string);
  }

  function changeOf(event: Stripe.Event): PartyChange[] {
    if (CARD_TYPES.includes(event.type)) return orderChanges(event);
    keep(event);
    return [{ id: event.id, ref: reportRef(event.id) }];
  }

  return {
    issue: cards.issue,
    issuance: cards.issuance,
    close: cards.close,
    closure: ({ reference }) => cards.closure(reference),
    sensitive: cards.sensitive,
    // Stripe has no push provisioning by a server.
    tokenize: () => Promise.reject(new PartyRefused('push_provisioning_unsupported')),
    tokenization: async () => 'unknown_to_party',
    changes: changesFromEvents(stripe, {
      types: [...NETWORK_TYPES, ...CARD_TYPES],
      now,
      changesIn: (events) => events.flatMap(changeOf),
    }),
    verify(raw, headers) {
      const event = verifiedEvent(stripe, raw, headers, { secrets, at: now() });
      if (!event) return undefined;
      // Events of the network come to the other address, and by the list.
      const [change] = CARD_TYPES.includes(event.type) ? orderChanges(event).slice(-1) : [];
      return { externalId: event.id, ref: change?.ref ?? null };
    },
    verifyMessage(raw, headers) {
      const event = verifiedEvent(stripe, raw, headers, { secrets, at: now() });
      return event && networkReportOf(event);
    },
    verifyQuestion: () => false,
    renderAnswer: (body) => ({
      body: JSON.stringify(answerOf(JSON.parse(body) as OurAnswer)),
      headers: { 'stripe-version': Stripe.API_VERSION },
    }),
    async reported(ref): Promise<NetworkReport> {
      const id = reportName(ref);
      const event = kept.get(id) ?? (await reading(() => stripe.events.retrieve(id)));
      if (!isReadable(event)) throw new UnreadableCallback();
      const report = networkReportOf(event);
      return report.type === 'report' ? report : NOTHING_REPORTED;
    },
    async balances() {
      const asOf = now();
      const { issuing } = await reading(() => stripe.balance.retrieve());
      const balances = (issuing?.available ?? []).map(({ amount, currency }) => ({
        currency: currency.toUpperCase(),
        amount: fromMinorUnits(amount, currency),
      }));
      return { asOf, balances };
    },
  };
}

/** The orders that a card's event is about: its issuance, and its closure where we have ordered one. */
function orderChanges({ id, data }: Stripe.Event): PartyChange[] {
  const card = data.object as unknown as { metadata?: Record<string, string> | null };
  if (!isOurs(card)) return [];
  const { [KEYS.order]: order, [KEYS.closure]: closure } = card.metadata ?? {};
  return [
    ...(order === undefined ? [] : [{ id, ref: order }]),
    ...(closure === undefined ? [] : [{ id: `${id}-closure`, ref: closure }]),
  ];
}

interface OurAnswer {
  approved?: boolean;
  declineReason?: string;
  referenceId?: string;
}

/** Only an answer to a question says `approved`. The reference and the reason are kept in the authorization's metadata. */
function answerOf({ approved, declineReason, referenceId }: OurAnswer): object {
  if (referenceId === undefined) return {};
  const metadata = { reference: referenceId, ...(declineReason === undefined ? {} : { declineReason }) };
  return { approved: approved === true, metadata };
}
