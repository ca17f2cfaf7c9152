import { randomInt } from 'node:crypto';
import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { secondsAfter, secondsSince } from '../../sandbox/time';
import type { CardWord } from '../word';
import { scenarioOf } from './scenarios';
import { madeCard } from './sealed-number';
import { findByKey, lockOrder, noteCall, type Order, type ProcessorCard } from './store';

/** Seconds from an order to its decision, unless the label sets another time. */
const DECISION_SECONDS = 0.25;

/** The party's own clock, keys and pace. */
type Own = Pick<PartyOptions, 'keyring' | 'now' | 'decisionSeconds'>;

export type ToldCard = { key: string } & CardWord;

/** Takes an order of a card. @returns the present state, or why the caller gets no answer */
export async function takeOrder(
  tx: Tx,
  { callbackUrl, ...order }: Order & { callbackUrl: string },
  own: Own,
): Promise<ToldCard | 'unreachable' | 'silent' | { refused: string }> {
  const card = await lockOrder(tx, order, own.now());
  // The key was used for another order. The callback address is not compared, because our address may change.
  if (card.bin !== order.bin || card.label !== order.label) return { refused: 'idempotency_mismatch' };
  const at = own.now();
  const { key, label, calls, acceptedAt } = card;
  const { losesFirstOrder = false, losesFirstAnswer = false } = scenarioOf(label);
  if (isUnreachable(card, at)) return 'unreachable';
  const first = calls === 0;
  const isLost = first && losesFirstOrder;
  const made = acceptedAt || isLost ? {} : madeCard(card, at, { keyring: own.keyring, random: randomInt });
  noteCall(tx, key, made);
  if (isLost) return 'silent';
  const known = { ...card, ...made };
  if (!acceptedAt) {
    const record = { party: 'card-processor', ref: key, callbackUrl } as const;
    recordChange(tx, record, [{ at, quiet: true }], [{ at: decidesAt({ ...known, acceptedAt: at }, own) }]);
  }
  if (first && losesFirstAnswer) return 'silent';
  // An order that was taken now has changed once.
  if (!acceptedAt) return wordAt(known, 1, at, own);
  return wordAt(known, versionAt(await changeTimes(tx, 'card-processor', key), at), at, own);
}

/** Undefined where no order with that key was taken. */
export async function presentOrder(
  tx: Tx,
  key: string,
  own: Own,
): Promise<ToldCard | 'unreachable' | undefined> {
  const [card, times] = await Promise.all([findByKey(tx, key), changeTimes(tx, 'card-processor', key)]);
  const at = own.now();
  if (card && isUnreachable(card, at)) return 'unreachable';
  return card?.acceptedAt ? wordAt(card, versionAt(times, at), at, own) : undefined;
}

function isUnreachable({ label, firstAskedAt }: ProcessorCard, at: Date): boolean {
  return secondsSince(firstAskedAt, at) < (scenarioOf(label).unreachableSeconds ?? 0);
}

function decidesAt({ label, acceptedAt }: ProcessorCard, { decisionSeconds: usual }: Own): Date {
  const { decisionSeconds = usual ?? DECISION_SECONDS } = scenarioOf(label);
  return secondsAfter(acceptedAt as Date, decisionSeconds);
}

/** The state of a taken order at that time. */
function wordAt(card: ProcessorCard, version: number, at: Date, own: Own): ToldCard {
  const { key, label } = card;
  const { refusal } = scenarioOf(label);
  if (decidesAt(card, own) > at) return { key, version, status: 'processing' };
  if (refusal !== undefined) return { key, version, status: 'failed', failureCode: refusal };
  return {
    key,
    version,
    status: 'issued',
    reference: card.reference as string,
    last4: card.last4 as string,
    expiryMonth: card.expiryMonth as number,
    expiryYear: card.expiryYear as number,
  };
}
