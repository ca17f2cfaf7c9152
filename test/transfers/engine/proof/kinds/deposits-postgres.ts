import { Decimal } from '../../../../../src/kernel/money/money';
import type { CheckoutParty } from '../../../../../src/parties/checkout/port';
import type { CheckoutWord } from '../../../../../src/parties/checkout/word';
import { PartyRefused } from '../../../../../src/process/party-errors';
import { decideDeposit, refundDeposit } from '../../../../../src/transfers/deposits/decide';
import type { DepositTerms } from '../../../../../src/transfers/deposits/money';
import { created } from '../../../deposits/support';
import { OPERATOR } from '../acts';
import { oneOf } from '../random';
import type { PostgresProof } from '../stage';
import type { WordDouble } from '../word-double';
import { depositProof } from './deposits';

/** A checkout over the double. */
function checkoutOver(double: WordDouble<CheckoutWord>, refuses: (key: string) => boolean): CheckoutParty {
  return {
    async createSession({ key }) {
      const sessionId = sessionOf(key);
      double.order(key, sessionId);
      return { sessionId, redirectUrl: `https://pay.example/${sessionId}` };
    },
    ask: async (sessionId) => double.ask(sessionId),
    async refund({ key }) {
      if (refuses(key)) throw new PartyRefused('not_allowed');
      return { refundId: `refund-${key}`, status: 'pending' };
    },
    changes: double.changes,
    verify: () => undefined,
  };
}

const sessionOf = (key: string) => `session-${key}`;

const opened = (key: string | null): CheckoutWord => ({
  key,
  page: 'open',
  risk: 'normal',
  payments: [],
  refunds: [],
  disputes: [],
});

export const depositThroughPostgres: PostgresProof<DepositTerms, CheckoutWord> = {
  proof: depositProof,
  firstWord: opened,
  port: checkoutOver,
  async open({ client, double, random }) {
    // Sometimes a session that no deposit has created.
    if (random() < 0.15) return { id: null, ref: double.foreign(opened(null)) };
    const account = oneOf(random, ['USD', 'EUR']);
    const { id } = await created(client, { amount: '100.00', currency: 'USD', account });
    return { id, ref: sessionOf(id) };
  },
  mustBeFound: (word) =>
    depositProof.currencies.some(
      (currency) => !depositProof.positionOfParty({ terms: null, word }, currency).isZero(),
    ),
  requiredStatuses: ['chargeback', 'completed', 'failed', 'manual_review'],
  requiredDecisions: ['approve', 'conclude', 'credit', 'question', 'refund'],
  act(services, tx, depositId, { kind, share }) {
    switch (kind) {
      case 'approve':
      case 'reject':
        return decideDeposit(services, tx, {
          depositId,
          decision: kind === 'approve' ? 'approved' : 'rejected',
          decidedBy: OPERATOR,
        });
      case 'refund':
        return refundDeposit(services, tx, {
          depositId,
          amount: new Decimal(100).times(share),
          requestedBy: OPERATOR,
        });
      default:
        return undefined;
    }
  },
};
