import type { Tx } from '../../../kernel/db/database';
import { DatabaseAway, isAway } from '../../../kernel/db/faults';
import { Problem, unavailable } from '../../../kernel/errors';
import {
  fingerprint,
  keyIn,
  outcomeOf,
  type StoredAnswer,
  storedAnswer,
  withKey,
} from '../../../kernel/idempotency';
import type { Effect } from '../../../process/desk/decision';
import type { Visit } from '../visit';

/** A refusal, as it was thrown or as its key has kept it. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  field?: string | undefined;
  /** Changes since the operator looked. */
  changed?: Effect[] | undefined;
}

export const refusalOf = ({ status, code, message, field, details }: Problem): Refusal => ({
  status,
  code,
  message,
  field,
  changed: details?.['changed'] as Effect[] | undefined,
});

/** Whether the answer is not known, so that the same form is sent again under the same key. */
export const isUnknown = ({ code }: Refusal): boolean =>
  ['idempotency_in_progress', 'outcome_unknown', 'unavailable'].includes(code);

interface Work<Answer> {
  scope: string;
  key: string;
  /** What the key stands for. Another body under the same key is refused. */
  body: object;
  /** Asks parties before the transaction. */
  prove(): Promise<unknown>;
  /** @returns the answer, and what the key keeps where that is less */
  run(tx: Tx, proof: unknown): Promise<{ answer: Answer; kept?: Answer }>;
}

/**
 * Carries out what an operator has sent, once for a key. A repeat returns the first answer, or the first refusal.
 */
export async function underKey<Answer extends object>(
  { desk, operator }: Pick<Visit, 'desk' | 'operator'>,
  { scope, key: text, body, prove, run }: Work<Answer>,
): Promise<{ answer: Answer } | { refusal: Refusal }> {
  const { database } = desk;
  const key = keyIn({
    tenantId: operator.actor,
    scope,
    key: text,
    fingerprint: fingerprint(body, {}),
    permanent: true,
  });
  let whole: Answer | undefined;
  try {
    const stored = (await storedAnswer(database, key)) ?? (await first());
    if (stored.status >= 400) return { refusal: JSON.parse(stored.body) as Refusal };
    return { answer: whole ?? (JSON.parse(stored.body) as Answer) };
  } catch (error) {
    if (error instanceof Problem) return { refusal: refusalOf(error) };
    if (error instanceof DatabaseAway || isAway(error)) return { refusal: refusalOf(unavailable()) };
    throw error;
  }

  async function first(): Promise<StoredAnswer> {
    // A party's refusal is thrown in the transaction, so that the key keeps it.
    const proof = await outcomeOf(prove);
    return withKey(
      database,
      key,
      async (tx) => {
        const { answer, kept = answer } = await run(tx, proof());
        whole = answer;
        return { status: 200, body: JSON.stringify(kept) };
      },
      (problem) => ({ status: problem.status, body: JSON.stringify(refusalOf(problem)) }),
    );
  }
}
