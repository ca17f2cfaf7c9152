import type Stripe from 'stripe';
import type { z } from 'zod';
import { UnreadableCallback } from '../../../process/party-errors';
import { fromMinorUnits } from '../../stripe/amounts';
import { type Channel, merchantFields, type ProcessorMessage, processorMessage } from '../message';
import { type NetworkDecision, type NetworkReport, NOTHING_REPORTED } from '../report';
import {
  authorizationObject,
  type FormerAuthorization,
  formerAuthorization,
  type StripeAuthorization,
  type StripeMerchant,
  type StripeTransaction,
  transactionObject,
} from './objects';

/**
 * Translates an event of Stripe's card network. Each message has a stable name that follows from the object, so a
 * webhook, its repeat and the list of events lead to one booking.
 * @returns a question that must be answered, or a report
 * @throws UnreadableCallback the object cannot be read
 */
export function networkReportOf(event: Stripe.Event): ProcessorMessage | NetworkReport {
  const { object, previous_attributes: former = {} } = event.data;
  switch (event.type as string) {
    case 'issuing_authorization.request':
      return questionOf(read(authorizationObject, object), event.created);
    case 'issuing_authorization.created':
      return { ...NOTHING_REPORTED, decisions: decisionsOf(read(authorizationObject, object)) };
    case 'issuing_authorization.updated':
      return updateOf(read(authorizationObject, object), read(formerAuthorization, former), event.created);
    case 'issuing_transaction.created':
      return { ...NOTHING_REPORTED, messages: movementOf(read(transactionObject, object)) };
    default:
      return NOTHING_REPORTED;
  }
}

function read<S extends z.ZodType>(schema: S, object: unknown): z.output<S> {
  const parsed = schema.safeParse(object);
  if (!parsed.success)
    throw new UnreadableCallback('the object is not of this shape', { cause: parsed.error });
  return parsed.data;
}

const isoTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** The name of the request with this index, and of its decision. */
const requestName = ({ id }: StripeAuthorization, index: number): string => `${id}:${index}`;

/** The pending request, which comes after all decided ones. */
function questionOf(authorization: StripeAuthorization, sentAt: number): ProcessorMessage {
  const { pending_request: pending, request_history: history } = authorization;
  if (!pending) throw new UnreadableCallback('the authorization has no pending request');
  return requestMessage('authorization', authorization, history.length, { ...pending, created: sentAt });
}

const decisionsOf = (authorization: StripeAuthorization): NetworkDecision[] =>
  authorization.request_history.map((decision, index) => ({
    authorization: requestMessage('advice', authorization, index, decision),
    approved: decision.approved,
    asked: decision.reason.startsWith('webhook_'),
  }));

function requestMessage(
  type: 'authorization' | 'advice',
  authorization: StripeAuthorization,
  index: number,
  { amount, currency, created }: { amount: number; currency: string; created: number },
): ProcessorMessage {
  const name = requestName(authorization, index);
  const identity = {
    messageId: name,
    cardReference: authorization.card,
    amount: fromMinorUnits(amount, currency).toFixed(),
    currency,
    networkReference: authorization.id,
  };
  const { result } = authorization.verification_data?.three_d_secure ?? {};
  return {
    // The question and the decision have one fingerprint, so that only one of them is booked.
    ...messageOf(identity, {
      type,
      sentAt: isoTime(created),
      merchant: merchantOf(authorization.merchant_data),
      channel: channelOf(authorization),
    }),
    ...(result === 'authenticated' ? { authenticated: true } : {}),
  };
}

/** Statuses in which Stripe holds nothing any more. A capture closes an authorization, and its clearing releases the rest. */
const RELEASED: readonly string[] = ['reversed', 'expired'];

function updateOf(
  authorization: StripeAuthorization,
  former: FormerAuthorization,
  changedAt: number,
): NetworkReport {
  const decisions = decisionsOf(authorization);
  return { type: 'report', decisions, messages: reversalsOf(authorization, former, changedAt) };
}

/**
 * The amount that an update has released. Between two requests the amount only falls, so the number of requests and both
 * amounts name the reversal.
 */
function reversalsOf(
  authorization: StripeAuthorization,
  former: FormerAuthorization,
  changedAt: number,
): ProcessorMessage[] {
  const { id, status, currency, card, request_history: history } = authorization;
  const isUnchanged = former.amount === undefined && former.status === undefined;
  if (isUnchanged || status === 'closed' || !history.some(({ approved }) => approved)) return [];
  const from = former.amount ?? authorization.amount;
  const to = RELEASED.includes(status) ? 0 : authorization.amount;
  if (to >= from) return [];
  const identity = {
    type: 'reversal',
    messageId: `${id}:${history.length}:${from}-${to}`,
    cardReference: card,
    amount: fromMinorUnits(from - to, currency).toFixed(),
    currency,
    networkReference: id,
  };
  return [messageOf(identity, { sentAt: isoTime(changedAt) })];
}

/** A capture releases its authorization whole at Stripe, so each is final. Later captures are booked without a hold. */
function movementOf(transaction: StripeTransaction): ProcessorMessage[] {
  const { id, type, amount, currency, card, authorization, created, merchant_data: merchant } = transaction;
  if (amount === 0) return [];
  if ((type === 'capture') !== amount < 0)
    throw new UnreadableCallback('the amount has the sign of another type');
  const identity = {
    type: type === 'capture' ? 'clearing' : 'refund',
    messageId: id,
    cardReference: card,
    amount: fromMinorUnits(Math.abs(amount), currency).toFixed(),
    currency,
    networkReference: authorization ?? id,
  };
  const final = type === 'capture' && authorization ? { final: true } : {};
  return [messageOf(identity, { ...final, sentAt: isoTime(created), merchant: merchantOf(merchant) })];
}

/** @param identity the fields that never change, for the fingerprint */
function messageOf(identity: object, rest: object): ProcessorMessage {
  return { ...read(processorMessage, { ...identity, ...rest }), received: { ...identity } };
}

const stripped = (text: string | null | undefined): string | undefined =>
  text?.trim().slice(0, 100) || undefined;

/** The merchant's fields that our schema takes. Others are dropped, because no message may fail for its merchant. */
function merchantOf({ network_id: id, name, category_code: mcc, city, country }: StripeMerchant) {
  const given = { id, name, mcc, city, country };
  return Object.fromEntries(
    Object.entries(given).flatMap(([field, text]) => {
      const parsed = merchantFields[field as keyof typeof merchantFields].safeParse(stripped(text));
      return parsed.success && parsed.data !== undefined ? [[field, parsed.data]] : [];
    }),
  );
}

/** Merchant category codes of cash machines and of cash at a counter. */
const CASH_MCCS: readonly (string | null | undefined)[] = ['6010', '6011'];

const BY_METHOD: Readonly<Record<string, Channel>> = {
  chip: 'present',
  contactless: 'present',
  swipe: 'present',
  online: 'ecommerce',
};

/** Undefined where Stripe does not say it: such an authorization is judged as one on the internet. */
function channelOf(authorization: StripeAuthorization): Channel | undefined {
  const { authorization_method: method, card_presence: presence, merchant_data: merchant } = authorization;
  const channel = BY_METHOD[method ?? ''];
  if (channel === 'present' && CASH_MCCS.includes(merchant.category_code)) return 'atm';
  if (channel !== undefined) return channel;
  if (presence === 'present') return 'present';
  return method === 'keyed_in' ? 'moto' : undefined;
}
