import type { Tx } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { requestApproval } from '../../process/approvals/operations';
import { isAboveLimit, isDualControlled } from '../../process/limits/operations';
import type { NewDecision } from '../engine/kind';
import { SYSTEM } from '../engine/record';
import { type ChainDeposit, isUnshown } from './record';
import {
  amountOf,
  CREDIT_APPROVED,
  CREDIT_HELD,
  heldCredit,
  isClearedByPeople,
  isDueForCredit,
  judgedUnits,
} from './rules';

/** Kind of the approval. */
export const CHAIN_CREDIT = 'chain-deposit.credit';

/** The fact that the approval of a credit rests on: the units that wait. */
export const creditRestsOn = (deposit: ChainDeposit) => ({ units: heldCredit(deposit) ?? null });

/**
 * Holds a credit above the limit and asks two operators for approval. A coin that people recorded, or a screening that
 * people cleared, is not held, because two have decided on it already.
 */
export async function holdLargeCredit(tx: Tx, deposit: ChainDeposit): Promise<NewDecision | undefined> {
  const { id: subject, tenantId, word, terms } = deposit.transfer;
  if (word === null || !isDueForCredit(deposit) || isUnshown(terms) || isClearedByPeople(deposit))
    return undefined;
  if (judgedUnits(deposit) === word.units || !(await isDualControlled(tx))) return undefined;
  const money = { amount: amountOf(terms, word), currency: terms.asset };
  if (!(await isAboveLimit(tx, { ...money, at: deposit.at }))) return undefined;
  const { units } = word;
  await requestApproval(tx, null, {
    kind: CHAIN_CREDIT,
    permission: 'chain',
    subject,
    tenantId,
    money,
    terms: {},
    restsOn: { units },
    reason: 'a credit from a chain above the limit',
    requestedBy: SYSTEM,
    requestedAt: deposit.at,
  });
  return { kind: CREDIT_HELD, ...money, data: { units } };
}

/**
 * @returns the decision to credit
 * @throws Problem 409 `invalid_transition` when other units wait, or none
 */
export function approvedCredit(deposit: ChainDeposit, units: string, reason: string): NewDecision {
  const held = requireHeld(deposit);
  if (held !== units) throw conflict('invalid_transition', 'The chain now reports another amount.');
  return { kind: CREDIT_APPROVED, data: { units }, reason };
}

/**
 * @returns the units that wait for approval
 * @throws Problem 404; 409 `invalid_transition`
 */
export function requireHeld(deposit: ChainDeposit | undefined): string {
  if (!deposit) throw notFound('deposit');
  const held = heldCredit(deposit);
  if (held === undefined)
    throw conflict('invalid_transition', 'The deposit does not wait for an approval of its credit.');
  return held;
}
