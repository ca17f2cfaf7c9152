import type { Sql } from '../../kernel/db/database';
import { type Decision, decision, type Effect, type SubjectSpec } from '../../process/desk/decision';
import type { Services } from '../../services';
import type { PartyWord, Situation } from '../engine/record';
import { type ApprovedKind, assertDecidable, decideApproval } from './decide';
import { isOfOneHand } from './one-hand';

type Verb = 'approve' | 'reject';

/** The differences between the decisions on kinds of transfers that wait for approval. */
export interface ApprovalDesk<Transfer extends Situation> {
  /** Beginning of the decisions' names: `payout`. */
  noun: string;
  titles: Readonly<Record<Verb, string>>;
  subject: SubjectSpec<Transfer>;
  kindOf(transfer: Transfer): ApprovedKind<unknown, PartyWord>;
  effectsOf(transfer: Transfer, verb: Verb): Effect[];
  /** The record on the wire. */
  view(sql: Sql, transfer: Transfer): Promise<object>;
}

/** The decisions `approve` and `reject` on a transfer in `pending_approval`. */
export const approvalDecisions = <Transfer extends Situation>(
  services: Pick<Services, 'commands' | 'now'>,
  desk: ApprovalDesk<Transfer>,
): Decision[] => (['approve', 'reject'] as const).map((verb) => approvalDecision(services, desk, verb));

function approvalDecision<Transfer extends Situation>(
  services: Pick<Services, 'commands' | 'now'>,
  { noun, titles, subject, kindOf, effectsOf, view }: ApprovalDesk<Transfer>,
  verb: Verb,
): Decision {
  const made = verb === 'approve' ? 'approved' : 'rejected';
  return decision<Transfer>({
    name: `${noun}.${verb}`,
    title: titles[verb],
    permission: 'money',
    subject,
    ...(verb === 'approve'
      ? {
          reason: 'optional',
          takesTwo: {
            underDualControl: (tx, { subject: transfer, actor }) => isOfOneHand(tx, transfer, actor),
          },
        }
      : {}),
    restsOn: ({ transfer: { status, word }, decisions }) => ({
      status,
      reported: word?.version ?? null,
      decisions: decisions.length,
    }),
    async preview(tx, { subject: transfer }) {
      await assertDecidable(tx, kindOf(transfer), transfer, made);
      return effectsOf(transfer, verb);
    },
    async execute(tx, { id, subject: before }, { decidedBy, reason }) {
      const given = { id, decision: made, decidedBy, reason: reason ?? undefined } as const;
      const { after } = await decideApproval(services, tx, kindOf(before), given);
      return {
        before: { status: before.transfer.status },
        after: { status: after.transfer.status },
        result: await view(tx, after as Transfer),
      };
    },
  });
}
