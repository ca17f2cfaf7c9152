import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../../sandbox/changes';
import { secondsAfter, secondsSince } from '../../sandbox/time';
import type { ClosureWord } from '../word';
import { scenarioOf } from './scenarios';
import { findByReference, lockByReference, noteClosure, type ProcessorCard } from './store';

export type ToldClosure = { key: string } & ClosureWord;

interface Closure {
  key: string;
  reference: string;
  callbackUrl: string;
}

/** Takes an order to close a card. @returns the present state, or why the caller gets no answer */
export async function takeClosure(
  tx: Tx,
  { key, reference, callbackUrl }: Closure,
  now: () => Date,
): Promise<ToldClosure | 'unreachable' | { refused: string } | undefined> {
  const card = await lockByReference(tx, reference);
  if (!card) return undefined;
  const at = now();
  if (card.closureKey !== null)
    return card.closureKey === key ? told(tx, card, at) : { refused: 'closed_already' };
  const firstCloseAt = card.firstCloseAt ?? at;
  const isTaken = !isUnreachable({ ...card, firstCloseAt }, at);
  const closure = isTaken ? { closureKey: key, closingAt: at } : { closureKey: null, closingAt: null };
  noteClosure(tx, { key: card.key, firstCloseAt, ...closure });
  if (!isTaken) return 'unreachable';
  const closing = { ...card, firstCloseAt, ...closure };
  const record = { party: 'card-processor', ref: key, callbackUrl } as const;
  recordChange(tx, record, [{ at, quiet: true }], [{ at: closedAt(closing) }]);
  return wordAt(closing, 1, at);
}

/** Undefined where no closure of the card was taken. */
export async function presentClosure(
  tx: Tx,
  reference: string,
  now: () => Date,
): Promise<ToldClosure | 'unreachable' | undefined> {
  const card = await findByReference(tx, reference);
  const at = now();
  if (card && isUnreachable(card, at)) return 'unreachable';
  return card && card.closureKey !== null ? told(tx, card, at) : undefined;
}

async function told(tx: Tx, card: ProcessorCard, at: Date): Promise<ToldClosure> {
  const times = await changeTimes(tx, 'card-processor', card.closureKey as string);
  return wordAt(card, versionAt(times, at), at);
}

function isUnreachable({ label, firstCloseAt }: ProcessorCard, at: Date): boolean {
  return firstCloseAt !== null && secondsSince(firstCloseAt, at) < unreachableSeconds(label);
}

const unreachableSeconds = (label: string | null): number => scenarioOf(label).closeUnreachableSeconds ?? 0;

const closedAt = ({ label, closingAt }: ProcessorCard): Date =>
  secondsAfter(closingAt as Date, scenarioOf(label).closeSeconds ?? 0);

const wordAt = (card: ProcessorCard, version: number, at: Date): ToldClosure => ({
  key: card.closureKey as string,
  version,
  status: closedAt(card) > at ? 'processing' : 'closed',
});
