import type { Command } from 'commander';
import type { Sql, Tx } from '../../../kernel/db/database';
import { formatAmount } from '../../../kernel/money/money';
import {
  decideIbanPayout,
  payoutsToApprove as ibanPayoutsToApprove,
  shownPayout as shownIbanPayout,
} from '../../../transfers/iban/payouts/decide';
import { ibanPayoutView } from '../../../transfers/iban/view';
import {
  type DecidedPayout,
  type DecidePayout,
  decidePayout,
  payoutsToApprove,
  shownPayout,
} from '../../../transfers/payouts/decide';
import { type Payout, type ShownPayout, totalDebit } from '../../../transfers/payouts/record';
import { payoutView } from '../../../transfers/payouts/view';
import type { Session } from '../../session';
import type { CommandContext } from '../context';
import { addListing } from '../listing';
import { addDecisions, LISTED } from './approve-reject';

/** What a kind of payout is called, and how its domain lists, shows and decides it. */
interface PayoutCommands {
  noun: string;
  description: string;
  toApprove(session: Session, limit: number): Promise<ShownPayout[]>;
  shown(sql: Sql, payout: Payout): Promise<ShownPayout>;
  decide(session: Session, tx: Tx, given: DecidePayout): Promise<DecidedPayout>;
  view(payout: ShownPayout): unknown;
}

const KINDS: readonly PayoutCommands[] = [
  {
    noun: 'payout',
    description: "payouts above their tenant's threshold",
    toApprove: payoutsToApprove,
    shown: shownPayout,
    decide: decidePayout,
    view: payoutView,
  },
  {
    noun: 'iban-payout',
    description: "payouts from virtual IBANs above their company's threshold",
    toApprove: ibanPayoutsToApprove,
    shown: shownIbanPayout,
    decide: decideIbanPayout,
    view: ibanPayoutView,
  },
];

export function addPayoutCommands(program: Command, context: CommandContext): void {
  for (const kind of KINDS) addCommands(program, context, kind);
}

function addCommands(program: Command, context: CommandContext, kind: PayoutCommands): void {
  const { noun } = kind;
  const group = program.command(noun).description(kind.description);
  addListing(group, context, {
    description: `those that are pending_approval, the longest first; at most ${LISTED}`,
    load: (session) => kind.toApprove(session, LISTED),
    columns: ['id', 'client', 'account', 'method', 'total', 'since'],
    row: ({ payout: { transfer } }) => [
      ...[transfer.id, transfer.tenantId, transfer.accountId, transfer.terms.method],
      `${formatAmount(totalDebit(transfer.terms), transfer.terms.currency)} ${transfer.terms.currency}`,
      transfer.createdAt.toISOString(),
    ],
    view: kind.view,
  });
  addDecisions(group, context, {
    noun,
    approve: 'lets it be ordered of the party',
    reject: 'releases what is held; the client reads the reason',
    decide: (session, tx, { id, ...given }) => kind.decide(session, tx, { payoutId: id, ...given }),
    tenantOf: ({ transfer }) => transfer.tenantId,
    audited: ({ transfer: { status } }) => ({ status }),
    record: async (payout, session) => kind.view(await kind.shown(session.database, payout)),
    told: (_, { transfer: { id, status } }) => `${id} is ${status}.`,
  });
}
