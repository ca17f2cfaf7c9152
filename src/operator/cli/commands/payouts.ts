import type { Command } from 'commander';
import type { Queue } from '../../../desk/queue';
import { ibanPayouts, payouts } from '../../../desk/queues/transfers';
import { decideApproval } from '../../../transfers/approval/decide';
import { ibanPayoutKind } from '../../../transfers/iban/payouts/kind';
import { ibanPayoutView } from '../../../transfers/iban/view';
import { shownPayout } from '../../../transfers/payouts/create';
import { payoutKind } from '../../../transfers/payouts/kind';
import type { PayoutKind } from '../../../transfers/payouts/paid-by-party';
import type { ShownPayout } from '../../../transfers/payouts/record';
import { payoutView } from '../../../transfers/payouts/view';
import type { CommandContext } from '../context';
import { addQueueListing } from '../desk/queue-listing';
import { addDecisions } from './approve-reject';

/** Names and views of a kind of payout. */
interface PayoutCommands {
  noun: string;
  description: string;
  kind: PayoutKind;
  queue: Queue;
  view(payout: ShownPayout): unknown;
}

const KINDS: readonly PayoutCommands[] = [
  {
    noun: 'payout',
    description: "payouts above their tenant's threshold",
    kind: payoutKind,
    queue: payouts,
    view: payoutView,
  },
  {
    noun: 'iban-payout',
    description: "payouts from virtual IBANs above their company's threshold",
    kind: ibanPayoutKind,
    queue: ibanPayouts,
    view: ibanPayoutView,
  },
];

export function addPayoutCommands(program: Command, context: CommandContext): void {
  for (const commands of KINDS) addCommands(program, context, commands);
}

function addCommands(program: Command, context: CommandContext, commands: PayoutCommands): void {
  const { noun, description, kind, queue, view } = commands;
  const group = program.command(noun).description(description);
  addQueueListing(group, context, queue);
  addDecisions(group, context, {
    noun,
    approve: 'lets it be ordered of the party',
    reject: 'releases what is held; the client reads the reason',
    decide: (session, tx, given) => decideApproval(session, tx, kind, given),
    tenantOf: ({ transfer }) => transfer.tenantId,
    audited: ({ transfer: { status } }) => ({ status }),
    record: async (payout, session) => view(await shownPayout(session.database, kind, payout)),
    told: (_, { transfer: { id, status } }) => `${id} is ${status}.`,
  });
}
