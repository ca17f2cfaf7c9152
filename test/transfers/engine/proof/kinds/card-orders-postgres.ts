import { ZERO } from '../../../../../src/kernel/money/money';
import type { CardOrderAnswer, ExternalCards } from '../../../../../src/parties/external-cards/port';
import type { CardOrderWord } from '../../../../../src/parties/external-cards/word';
import { PartyRefused } from '../../../../../src/process/party-errors';
import { decideApproval } from '../../../../../src/transfers/approval/decide';
import { cardWithdrawalKind } from '../../../../../src/transfers/external-cards/kind';
import type { CardTerms } from '../../../../../src/transfers/external-cards/order-rules';
import type { Client, TestApi } from '../../../../support/api';
import { freshKey, KINDS } from '../../../external-cards/support';
import { OPERATOR } from '../acts';
import type { PostgresProof } from '../stage';
import type { WordDouble } from '../word-double';
import { onSomeAccount, provide, sometimesClosed } from './accounts';
import { cardTopupProof, cardWithdrawalProof } from './card-orders';

const PAGE = 'https://bank.example/page';

/** An acquirer over the double. Its orders are named by their keys. */
function acquirerOver(double: WordDouble<CardOrderWord>, refuses: (key: string) => boolean): ExternalCards {
  const told = (word: CardOrderWord): CardOrderAnswer =>
    word.status === 'requires_action' ? { word, actionUrl: PAGE } : { word };
  return {
    async order(_, { key }) {
      if (refuses(key)) throw new PartyRefused('card_refused');
      double.order(key, key);
      return told(double.ask(key) as CardOrderWord);
    },
    async ask(key) {
      const word = double.ask(key);
      return word === 'unknown_to_party' ? word : told(word);
    },
    changes: double.changes,
    verify: () => undefined,
  };
}

type Proof = PostgresProof<CardTerms, CardOrderWord>;

const proofOf = (kind: keyof typeof KINDS, own: Pick<Proof, 'proof' | 'requiredDecisions'>): Proof => ({
  firstWord: () => ({ status: 'processing', moved: ZERO, returns: [] }),
  port: acquirerOver,
  prepare: provide,
  requiredStatuses: ['completed', 'failed', 'returned'],
  ...own,
  async open({ api, client, random }) {
    const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
    const id = await onSomeAccount(api, client, { currency: 'USD', amount: 120 }, random, (accountId) =>
      client.call('POST', `/v2/accounts/${accountId}/${KINDS[kind]}/card`, body, freshKey()),
    );
    await sometimesClosed(api, id, random);
    return { id, ref: id };
  },
});

export const cardTopupThroughPostgres = proofOf('topup', {
  proof: cardTopupProof,
  requiredDecisions: ['conclude', 'credit', 'refused', 'stop'],
});
export const cardWithdrawalThroughPostgres: Proof = {
  ...proofOf('withdrawal', {
    proof: cardWithdrawalProof,
    requiredDecisions: ['approve', 'conclude', 'refused', 'stop'],
  }),
  async prepare(api, client, n) {
    await provide(api, client);
    if (n === 0) await withApproval(api, client);
  },
  act(services, tx, withdrawalId, { kind }) {
    if (kind !== 'approve' && kind !== 'reject') return undefined;
    const decision = kind === 'approve' ? 'approved' : 'rejected';
    return decideApproval(services, tx, cardWithdrawalKind, {
      id: withdrawalId,
      decision,
      decidedBy: OPERATOR,
    });
  },
};

/** Requires an approval for all withdrawals of the client. */
async function withApproval({ database }: TestApi, { clientId }: Client): Promise<void> {
  const settings = { externalCards: { withdrawal: { approvalAbove: [] } } };
  await database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    ...[clientId, JSON.stringify(settings)],
  ]);
}
