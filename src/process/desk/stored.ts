import type { Tx } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { isOperator } from '../approvals/actors';
import { type Approval, requestApproval } from '../approvals/operations';
import { isDualControlled, weighAlone } from '../limits/operations';
import type { DecisionSpec, Facts, Judged } from './decision';
import type { Money } from './list';

/** Terms of a stored decision that holds a secret, beside its input. */
const SECRET = 'secret';

interface AskedFor {
  /** The input as it was given. */
  input: object;
  reason: string;
  requestedBy: string;
  /** What the decision moves, where its weight is known. */
  money?: Money | null | undefined;
  restsOn?: Facts;
}

/** Stores a decision whole, until other operators approve it: input, weight, preview, and what it rests on. */
export async function storeDecision<Subject, Input, Proof>(
  tx: Tx,
  keyring: Keyring,
  decision: DecisionSpec<Subject, Input, Proof>,
  judged: Judged<Subject, Input, Proof>,
  { input, reason, requestedBy, money, restsOn }: AskedFor,
): Promise<Approval> {
  const kept = await decision.kept?.(tx, judged);
  return requestApproval(tx, keyring, {
    kind: decision.name,
    permission: decision.permission,
    subject: judged.id,
    tenantId: decision.subject.tenantOf(judged.subject),
    money: money ?? null,
    terms: { ...(kept ?? input), ...(judged.secret ? { [SECRET]: judged.secret } : {}) },
    changes: await decision.preview(tx, judged),
    restsOn: restsOn ?? decision.restsOn(judged.subject, judged.input),
    reason,
    requestedBy,
    requestedAt: judged.at,
  });
}

/**
 * Stores a decision that a request of the API asks for, where dual control demands other people.
 * @param judged with its subject locked
 * @returns undefined where the caller may carry it out
 */
export async function askedUnderDualControl<Subject, Input, Proof>(
  tx: Tx,
  keyring: Keyring,
  decision: DecisionSpec<Subject, Input, Proof>,
  judged: Judged<Subject, Input, Proof>,
  asked: Pick<AskedFor, 'reason' | 'requestedBy'>,
): Promise<Approval | undefined> {
  const { takesTwo } = decision;
  if (takesTwo === undefined || takesTwo === 'always') return undefined;
  if (!(await isDualControlled(tx)) || !(await takesTwo.underDualControl(tx, judged))) return undefined;
  const secret = await decision.sealed?.(judged);
  return storeDecision(
    tx,
    keyring,
    decision,
    { ...judged, secret },
    { ...asked, input: judged.input as object },
  );
}

/**
 * Stores a decision that an operator asks for by his credential of the API, where it passes a limit. Locks the sums of the
 * limits.
 * @returns undefined where the operator decides alone, and for a credential that names nobody, which is refused above a limit
 */
export async function askedAboveLimit<Subject, Input, Proof>(
  tx: Tx,
  keyring: Keyring,
  decision: DecisionSpec<Subject, Input, Proof>,
  judged: Judged<Subject, Input, Proof>,
  asked: Pick<AskedFor, 'input' | 'reason'>,
): Promise<Approval | undefined> {
  const { actor: requestedBy, id: subject, at } = judged;
  if (!isOperator(requestedBy)) return undefined;
  const weighed = await decision.weigh?.(tx, judged);
  if (!weighed) return undefined;
  const tenantId = decision.subject.tenantOf(judged.subject);
  const { takesTwo } = await weighAlone(tx, { ...weighed, subject, tenantId, decidedBy: requestedBy, at });
  if (!takesTwo) return undefined;
  const { amount, currency } = weighed;
  return storeDecision(tx, keyring, decision, judged, { ...asked, requestedBy, money: { amount, currency } });
}

/** The input of a stored decision, and its secret. */
export function termsOf(terms: unknown): { input: object; secret: object | undefined } {
  const { [SECRET]: secret, ...input } = terms as { [SECRET]?: object };
  return { input, secret };
}
