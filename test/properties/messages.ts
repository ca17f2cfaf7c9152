import type { Message } from '../../src/cards/events/record';
import { newId } from '../../src/kernel/ids';
import { decimalsOf } from '../../src/kernel/money/currencies';
import type { Decimal } from '../../src/kernel/money/money';
import type { ChainChoice, HolderOperation, NetworkOperation, Operation, ProcessorOperation } from './script';
import { amountOf, BLOCKED_MCC, type World, type WorldCard } from './world';

export type MessageOperation = ProcessorOperation | NetworkOperation | HolderOperation;

const HOLDERS = ['topup', 'withdraw', 'freeze', 'unfreeze', 'close'];
const PROCESSORS = ['network', 'authorization', 'settle', 'cancel', 'refund', 'decline'];

export function isMessage(operation: Operation): operation is MessageOperation {
  return PROCESSORS.includes(operation.do) || HOLDERS.includes(operation.do);
}

/** An operation whose indexes are resolved to ids of the world. */
export interface Picked {
  message: Message;
  card: WorldCard;
}

export function messageOf(
  world: World,
  references: Map<string, string[]>,
  operation: MessageOperation,
): Picked {
  const card = pick(world.cards, operation.card);
  const stranger = world.tenants.find((tenant) => tenant !== card.tenantId) as string;
  const of = { cardId: card.id, reach: operation.stranger ? stranger : card.tenantId };
  if ('chain' in operation) {
    const referenceId = referenceOf(references.get(card.id) ?? [], operation.chain);
    return { card, message: { ...of, ...processorMessage(operation, card, referenceId) } };
  }
  if ('event' in operation) return { card, message: { ...of, ...networkMessage(operation, card) } };
  return { card, message: { ...of, ...holderMessage(operation, card) } };
}

export function pick<T>(list: T[], index: number): T {
  return list[index % list.length] as T;
}

function referenceOf(known: string[], choice: ChainChoice): string | undefined {
  if (choice === 'none') return undefined;
  return (choice === 'unknown' ? undefined : known[choice % Math.max(known.length, 1)]) ?? newId('reference');
}

function processorMessage(operation: ProcessorOperation, card: WorldCard, referenceId: string | undefined) {
  // A message that names its chain mostly omits the currency. Otherwise nearly all of them would be refused.
  const currency =
    operation.currency !== null && (!referenceId || operation.card % 5 === 4)
      ? operation.currency
      : undefined;
  return {
    type: operation.do,
    ...(operation.minor === null ? {} : { amount: amountOf(operation.minor, currency ?? card.currency) }),
    ...(currency ? { currency } : {}),
    ...(referenceId === undefined ? {} : { referenceId }),
    ...(operation.final ? { final: true } : {}),
    ...(operation.blockedMerchant ? { merchant: { mcc: BLOCKED_MCC } } : {}),
  };
}

const START = Date.UTC(2026, 0, 31, 12);
const MINUTE_MS = 60_000;

function networkMessage(operation: NetworkOperation, card: WorldCard) {
  const { do: type, event, minor, reference, sent, final, blockedMerchant } = operation;
  const currency = operation.currency ?? card.currency;
  return {
    type,
    event,
    currency,
    amount: amountOf(minor, currency),
    reference: `network-${reference}`,
    final,
    ...(blockedMerchant ? { merchant: { mcc: BLOCKED_MCC } } : {}),
    sentAt: new Date(START + sent * MINUTE_MS),
  };
}

function holderMessage({ do: type, minor, reason }: HolderOperation, { currency }: WorldCard) {
  if (type === 'topup' || type === 'withdraw') return { type, amount: amountOf(minor, currency) };
  return type === 'close' ? { type } : { type, reason };
}

/** A line of the script for people, such as `card A1: settle 3.00 USD of #4f0za final`. */
export function textOf(world: World, { message, card }: Picked, operation: MessageOperation): string {
  const { stranger, keyed, via } = operation;
  const parts = message as {
    amount?: Decimal;
    currency?: string;
    referenceId?: string;
    final?: boolean;
    event?: string;
    reference?: string;
    sentAt?: Date;
    reason?: string;
  };
  const currency = parts.currency ?? card.currency;
  return [
    stranger && `as ${world.tenants.indexOf(message.reach as string) === 0 ? 'A' : 'B'},`,
    `card ${card.name}: ${message.type}`,
    parts.event,
    parts.amount && `${parts.amount.toFixed(decimalsOf(currency))} ${currency}`,
    parts.reason,
    parts.referenceId && `of ${short(parts.referenceId)}`,
    parts.reference && `of ${parts.reference}, sent at ${parts.sentAt?.toISOString().slice(14, 16)},`,
    parts.final && 'final',
    'merchant' in message && message.merchant && 'at a blocked merchant',
    keyed > 1 && `${keyed} times under one key`,
    via !== 'transaction' && `(${via})`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The end of a reference, which is unique enough within a run. */
export const short = (reference: string): string => `#${reference.slice(-5)}`;
