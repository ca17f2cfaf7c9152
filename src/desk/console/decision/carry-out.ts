import { z } from 'zod';
import { invalid } from '../../../kernel/errors';
import { parsedBy } from '../../../kernel/wire/schemas';
import { approvalView } from '../../../process/approvals/view';
import type { Decision } from '../../../process/desk/decision';
import { decide, proveDecision } from '../../decide';
import { reasonSchema } from '../../reason';
import { inputOf } from '../render/fields';
import { askerOfVisit, type Visit } from '../visit';
import { type Draft, INPUT } from './decision-form';
import { type Refusal, underKey } from './under-key';

/** A decision as the form gives it. */
export interface Given {
  subject: string;
  input: object;
  reason?: string | undefined;
  version?: string | undefined;
}

/** @throws Problem 400 naming the field */
export function givenIn({ decision, subject, form, fields }: Draft): Given {
  const input = inputOf(form, fields, INPUT);
  const text = (form.get('reason') ?? '').trim();
  const version = form.get('version') || undefined;
  if (text === '' && decision.reason === 'optional') return { subject, input, version };
  return { subject, input, reason: reasonOf(text), version };
}

/** @throws Problem 400 naming the field */
export function reasonOf(text: string): string {
  const given = text.replaceAll(/\s+/g, ' ').trim();
  if (given === '') throw invalid('reason is required.', 'reason');
  return parsedBy(z.object({ reason: reasonSchema }), { reason: given }).reason;
}

/** The result of a decision, or the approval that it waits for. */
export type Answer =
  | { result: Record<string, unknown> }
  | { approval: ReturnType<typeof approvalView>; why: string; shown?: Record<string, unknown> }
  /** The decision has shown a secret before. A repeat shows it no more. */
  | { hidden: true };

/** Decides as the HTTP face does. The key keeps no secret. */
export const carryOut = (
  visit: Visit,
  { name, secret }: Decision,
  given: Given,
  key: string,
): Promise<{ answer: Answer } | { refusal: Refusal }> => {
  const { desk } = visit;
  return underKey<Answer>(visit, {
    scope: `console ${name}`,
    key,
    body: given,
    prove: () => proveDecision(desk, { name, ...given }),
    async run(tx, proof) {
      const outcome = await decide(desk, tx, askerOfVisit(visit), { name, ...given, proof });
      const kept = secret ? { kept: { hidden: true } as const } : {};
      if ('result' in outcome)
        return { answer: { result: outcome.result as Record<string, unknown> }, ...kept };
      const { approval, why, shown } = outcome;
      return {
        answer: { approval: approvalView(approval), why, shown: shown as Record<string, unknown> },
        ...kept,
      };
    },
  });
};
