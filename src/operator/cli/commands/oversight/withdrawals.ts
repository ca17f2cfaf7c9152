import type { Command } from 'commander';
import { withdrawals, withdrawalView } from '../../../../desk/queues/transfers';
import type { Tx } from '../../../../kernel/db/database';
import { isId } from '../../../../kernel/ids';
import { decideApproval } from '../../../../transfers/approval/decide';
import type { Decided } from '../../../../transfers/engine/decide';
import { shownWithdrawal } from '../../../../transfers/exchange/withdrawals/create';
import {
  type ExchangeWithdrawal,
  exchangeWithdrawalKind,
} from '../../../../transfers/exchange/withdrawals/kind';
import { exchangeWithdrawalView } from '../../../../transfers/exchange/withdrawals/view';
import { cardWithdrawalKind } from '../../../../transfers/external-cards/kind';
import type { CardTransfer } from '../../../../transfers/external-cards/order-rules';
import type { Session } from '../../../session';
import type { CommandContext } from '../../context';
import { addQueueListing } from '../../desk/queue-listing';
import { groupOf } from '../../groups';
import { addDecisions, type DecisionGiven } from '../approve-reject';

/** Commands for withdrawals to payment cards and from the exchange that wait for approval (decisions part 2). */
export function addWithdrawalCommands(program: Command, context: CommandContext): void {
  const group = groupOf(program, 'withdrawal', "withdrawals above their tenant's thresholds");
  addQueueListing(group, context, withdrawals);
  addDecisions<Withdrawal>(group, context, {
    noun: 'withdrawal',
    approve: 'lets it be ordered of the acquirer, or of the exchange',
    reject: 'it has ended, and what is held is released',
    decide: (session, tx, given) => decisionOf(session, tx, given),
    tenantOf: ({ transfer }) => transfer.tenantId,
    audited: ({ transfer: { status } }) => ({ status }),
    record: async (withdrawal, session) =>
      isFromExchange(withdrawal)
        ? exchangeWithdrawalView(await shownWithdrawal(session.database, withdrawal))
        : withdrawalView(withdrawal),
    told: (_, { transfer: { id, status } }) => `${id} is ${status}.`,
  });
}

type Withdrawal = CardTransfer | ExchangeWithdrawal;

const isFromExchange = (withdrawal: Withdrawal): withdrawal is ExchangeWithdrawal =>
  withdrawal.transfer.kind === exchangeWithdrawalKind.name;

/** Decides a withdrawal of the kind that its id shows. */
const decisionOf = (session: Session, tx: Tx, given: DecisionGiven): Promise<Decided<Withdrawal>> =>
  isId('exchangeWithdrawal', given.id)
    ? decideApproval(session, tx, exchangeWithdrawalKind, given)
    : decideApproval(session, tx, cardWithdrawalKind, given);
