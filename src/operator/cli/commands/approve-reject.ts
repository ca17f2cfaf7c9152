import type { Command } from 'commander';
import { show } from '../../../desk/cli/console';
import type { Tx } from '../../../kernel/db/database';
import type { Session } from '../../session';
import { reasonArgument } from '../arguments';
import type { CommandContext } from '../context';

/** Input of a decision: the record's id, the decision, the operator and the reason. */
export interface DecisionGiven {
  id: string;
  decision: 'approved' | 'rejected';
  reason: string | undefined;
  decidedBy: string;
}

/** A record before and after the decision. */
interface Changed<Item> {
  before: Item;
  after: Item;
}

export interface DecisionCommands<Item> {
  /** Name in the command, the audit log and the help: `payout`. */
  noun: string;
  approve: string;
  reject: string;
  decide(session: Session, tx: Tx, given: DecisionGiven): Promise<Changed<Item>>;
  tenantOf(item: Item): string | null;
  /** The part of the record that the audit log keeps. */
  audited(item: Item): object;
  /** Output of `--json`. */
  record(item: Item, session: Session): unknown;
  told(given: DecisionGiven, item: Item): string;
}

/** Adds `approve ID` and `reject ID` to a group. A person's decision is a row (decisions part 2), and is audited. */
export function addDecisions<Item>(
  group: Command,
  context: CommandContext,
  spec: DecisionCommands<Item>,
): void {
  addDecision(group, context, spec, 'approve');
  addDecision(group, context, spec, 'reject');
}

function addDecision<Item>(
  group: Command,
  { console, run }: CommandContext,
  spec: DecisionCommands<Item>,
  verb: 'approve' | 'reject',
): void {
  const decision = verb === 'approve' ? 'approved' : 'rejected';
  const command = group.command(`${verb} <id>`).description(spec[verb]);
  if (verb === 'reject') command.requiredOption('--reason <text>', 'kept with the decision', reasonArgument);
  else command.option('--reason <text>', 'kept with the decision', reasonArgument);
  command
    .option('--json', `print the ${spec.noun} as JSON`)
    .action((id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      run(async (session) => {
        const given = { id, decision, reason, decidedBy: session.actor } as const;
        const { after } = await session.change(
          (tx) => spec.decide(session, tx, given),
          (changed) => ({
            action: `${spec.noun}.${verb}`,
            subject: id,
            tenantId: spec.tenantOf(changed.after),
            before: spec.audited(changed.before),
            after: spec.audited(changed.after),
          }),
        );
        show(console, json, await spec.record(after, session), spec.told(given, after));
      }),
    );
}
