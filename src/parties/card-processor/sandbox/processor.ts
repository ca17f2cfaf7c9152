import { randomInt } from 'node:crypto';
import type { Database, Sql } from '../../../kernel/db/database';
import type { Keyring } from '../../../kernel/security/keyring';
import { secondsSince } from '../../sandbox/time';
import {
  type CardOrder,
  type CardProcessor,
  type Issuance,
  ProcessorTimeout,
  ProcessorUnreachable,
} from '../port';
import { scenarioOf } from './scenarios';
import { madeCard, secretsOf } from './sealed-number';
import {
  accept,
  countCall,
  findByKey,
  findByReference,
  lockOrder,
  type MadeCard,
  noteClosure,
  type ProcessorCard,
} from './store';

export interface SandboxProcessorOptions {
  database: Database;
  keyring: Keyring;
  now?: () => Date;
  /** A number from 0 to below `limit`: makes CVVs. */
  random?: (limit: number) => number;
  /** From an order to its decision where the label says nothing else. */
  decisionMs?: number;
}

const DECISION_MS = 250;

/**
 * A card processor in a table of its own. It commits by itself, as an outside party would: what it did stays done
 * although its caller may fail afterwards. Faults come from the card's label (scenarios.ts), never by chance.
 */
export function createSandboxCardProcessor(options: SandboxProcessorOptions): CardProcessor {
  const { database, keyring, now = () => new Date(), random = randomInt, decisionMs = DECISION_MS } = options;
  const make = (card: ProcessorCard, at: Date) => madeCard(card, at, { keyring, random });
  return {
    async issue(key, order) {
      const at = now();
      const taken = await database.transaction((tx) => takeOrder(tx, key, order, { at, make }));
      if (taken instanceof Error) throw taken;
      return issuanceOf(taken, at, decisionMs);
    },
    async issuance(key) {
      const card = await findByKey(database, key);
      if (card && isUnreachable(card, now())) throw new ProcessorUnreachable();
      return card?.acceptedAt ? issuanceOf(card, now(), decisionMs) : undefined;
    },
    async close(_key, reference) {
      const at = now();
      const { label } = await cardOf(database, reference);
      const first = (await noteClosure(database, reference, at)) ?? at;
      const { closeUnreachableSeconds = 0, closeSeconds = 0 } = scenarioOf(label);
      if (secondsSince(first, at) < closeUnreachableSeconds) throw new ProcessorUnreachable();
      return secondsSince(first, at) < closeUnreachableSeconds + closeSeconds ? 'processing' : 'closed';
    },
    sensitive: async (reference) => secretsOf(await cardOf(database, reference), keyring),
    async tokenize(_key, reference, _wallet) {
      const { tokenizeRefusal } = scenarioOf((await cardOf(database, reference)).label);
      return tokenizeRefusal ? { status: 'refused', code: tokenizeRefusal } : { status: 'completed' };
    },
  };
}

/** What the processor does with an order: the card as it is now, or why its caller gets no answer. */
async function takeOrder(
  tx: Sql,
  key: string,
  { bin, label }: CardOrder,
  { at, make }: { at: Date; make: (card: ProcessorCard, at: Date) => MadeCard },
): Promise<ProcessorCard | Error> {
  const card = await lockOrder(tx, { key, bin, label, at });
  const { losesFirstOrder, losesFirstAnswer } = scenarioOf(card.label);
  if (isUnreachable(card, at)) return new ProcessorUnreachable();
  await countCall(tx, key);
  const first = card.calls === 0;
  if (first && losesFirstOrder) return new ProcessorTimeout();
  const fresh = card.acceptedAt ? undefined : make(card, at);
  if (fresh) await accept(tx, key, fresh);
  return first && losesFirstAnswer ? new ProcessorTimeout() : { ...card, ...fresh };
}

async function cardOf(sql: Sql, reference: string): Promise<ProcessorCard> {
  const card = await findByReference(sql, reference);
  if (!card) throw new Error('the card processor does not know this card');
  return card;
}

function isUnreachable(card: ProcessorCard, at: Date): boolean {
  return secondsSince(card.firstAskedAt, at) < (scenarioOf(card.label).unreachableSeconds ?? 0);
}

function issuanceOf(card: ProcessorCard, at: Date, decisionMs: number): Issuance {
  const { decisionSeconds = decisionMs / 1000, refusal } = scenarioOf(card.label);
  if (secondsSince(card.acceptedAt as Date, at) < decisionSeconds) return { status: 'processing' };
  if (refusal) return { status: 'refused', code: refusal };
  return {
    status: 'issued',
    reference: card.reference as string,
    last4: card.last4 as string,
    expiryMonth: card.expiryMonth as number,
    expiryYear: card.expiryYear as number,
  };
}
