import { Decimal } from '../../../../src/kernel/money/money';
import type { CheckoutParty } from '../../../../src/parties/checkout/port';
import type { CheckoutWord } from '../../../../src/parties/checkout/word';
import { PartyRefused } from '../../../../src/process/party-errors';
import { concludeTransfer } from '../../../../src/transfers/conclude';
import { decideDeposit, refundDeposit } from '../../../../src/transfers/deposits/decide';
import type { DepositTerms } from '../../../../src/transfers/deposits/money';
import type { DoorKind } from '../../../../src/transfers/engine/doors';
import { useDoor } from '../../../../src/transfers/suspense';
import { created } from '../../deposits/support';
import { depositProof } from './deposits';
import type { PostgresProof } from './postgres-proof';
import { oneOf } from './random';
import type { WordDouble } from './word-double';

const OPERATOR = 'operator:ida';

/** A checkout whose sessions are the double's. */
function checkoutOver(double: WordDouble<CheckoutWord>, refuses: (key: string) => boolean): CheckoutParty {
  return {
    async createSession({ key }) {
      const sessionId = double.order(key);
      return { sessionId, redirectUrl: `https://pay.example/${sessionId}` };
    },
    ask: async (sessionId) => double.ask(sessionId),
    async refund({ key }) {
      if (refuses(key)) throw new PartyRefused('not_allowed');
      return { refundId: `refund-${key}`, status: 'pending' };
    },
    changes: double.changes,
    verify: () => undefined,
    getSession: () => Promise.reject(new Error('nobody asks so any more')),
  };
}

export const depositThroughPostgres: PostgresProof<DepositTerms, CheckoutWord> = {
  proof: depositProof,
  party: 'checkout',
  firstWord: (key) => ({ key, page: 'open', payments: [], risk: 'normal', refunds: [], disputes: [] }),
  port: checkoutOver,
  async open(client, random) {
    const account = oneOf(random, ['USD', 'EUR']);
    const { id } = await created(client, { amount: '100.00', currency: 'USD', account });
    return { id, ref: `party-${id}` };
  },
  foreign: (double) => double.foreign(),
  act(services, tx, { id, account }, { kind, share, currency }) {
    switch (kind) {
      case 'approve':
      case 'reject':
        return decideDeposit(services, tx, {
          ...{ depositId: id, decision: kind === 'approve' ? 'approved' : 'rejected', decidedBy: OPERATOR },
        });
      case 'refund':
        return refundDeposit(services, tx, {
          ...{ depositId: id, amount: new Decimal(100).times(share), requestedBy: OPERATOR },
        });
      case 'paid':
      case 'failed':
        return concludeTransfer(services, tx, {
          ...{ transferId: id, as: kind, evidence: 'a letter', decidedBy: OPERATOR },
        });
      default:
        return useDoor(services, tx, {
          ...{ transferId: id, door: kind as DoorKind, currency, reason: 'seen', decidedBy: OPERATOR },
          ...(kind === 'credit' || kind === 'recover' ? { accountId: account } : {}),
        });
    }
  },
};
