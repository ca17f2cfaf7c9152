import { ZERO } from '../../../../../src/kernel/money/money';
import type { PayoutParty } from '../../../../../src/parties/payouts/port';
import type { PayoutWord } from '../../../../../src/parties/payouts/word';
import { PartyRefused } from '../../../../../src/process/party-errors';
import { ibanPayoutKind } from '../../../../../src/transfers/iban/payouts/kind';
import { decidePayout } from '../../../../../src/transfers/payouts/decide';
import { orderKey, payoutKind } from '../../../../../src/transfers/payouts/kind';
import type { PayoutKind } from '../../../../../src/transfers/payouts/paid-by-party';
import type { PayoutTerms } from '../../../../../src/transfers/payouts/record';
import type { Client, TestApi } from '../../../../support/api';
import { credited, enabled, paidOut } from '../../../iban/support';
import { type Asked, create } from '../../../payouts/support';
import { OPERATOR } from '../acts';
import { oneOf } from '../random';
import type { PostgresProof } from '../stage';
import type { WordDouble } from '../word-double';
import { onSomeAccount, provide, sometimesClosed } from './accounts';
import { ibanPayoutProof, payoutProof } from './payouts';

/** A payouts party whose orders are the double's; they go by their keys. */
function payoutsOver(double: WordDouble<PayoutWord>, refuses: (key: string) => boolean): PayoutParty {
  return {
    async order({ key }) {
      if (refuses(key)) throw new PartyRefused('beneficiary_refused');
      double.order(key, key);
      return double.ask(key) as PayoutWord;
    },
    ask: async (key) => double.ask(key),
    changes: double.changes,
    verify: () => undefined,
  };
}

type Proof = PostgresProof<PayoutTerms, PayoutWord>;

const either = (of: PayoutKind) =>
  ({
    firstWord: () => ({ status: 'processing', sent: ZERO, returns: [] }),
    port: payoutsOver,
    act(services, tx, payoutId, { kind }) {
      if (kind !== 'approve' && kind !== 'reject') return undefined;
      const decision = kind === 'approve' ? 'approved' : 'rejected';
      return decidePayout(services, tx, of, { payoutId, decision, decidedBy: OPERATOR });
    },
  }) satisfies Partial<Proof>;

/** One client's payouts all wait for a person. */
async function withApproval({ database }: TestApi, { clientId }: Client): Promise<void> {
  const settings = { payouts: { approvalAbove: [] }, banking: { payout: { approvalAbove: '1.00' } } };
  await database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    ...[clientId, JSON.stringify(settings)],
  ]);
}

const CHAIN = { chain: 'ethereum', asset: 'USDT', address: `0x${'ab'.repeat(20)}` };
const WAYS: readonly Asked[] = [
  { method: 'sepa', currency: 'EUR' },
  { method: 'sepa', currency: 'EUR' },
  { method: 'swift', currency: 'USD' },
  { method: 'crypto', currency: 'USDT', destination: CHAIN },
];

export const payoutThroughPostgres: Proof = {
  ...either(payoutKind),
  proof: payoutProof,
  async prepare(api, client, n) {
    await provide(api, client);
    if (n === 0) await withApproval(api, client);
  },
  comesTo: ['cancelled', 'completed', 'pending_approval', 'processing', 'returned', 'sent'],
  decided: ['approve', 'cancel', 'conclude', 'refused'],
  async open({ api, client, random }) {
    const way = { amount: '100.00', ...oneOf(random, WAYS) };
    const id = await onSomeAccount(api, client, { currency: 'EUR', amount: 120 }, random, (accountId) =>
      create(client, accountId, way),
    );
    await sometimesClosed(api, id, random);
    return { id, ref: orderKey(id) };
  },
};

export const ibanPayoutThroughPostgres: Proof = {
  ...either(ibanPayoutKind),
  proof: ibanPayoutProof,
  async prepare(api, client, n) {
    const { id } = await enabled(api, client);
    await credited(api, id, '1000000000.00');
    if (n === 0) await withApproval(api, client);
  },
  comesTo: ['completed', 'pending_approval', 'processing', 'returned', 'sent'],
  decided: ['approve', 'conclude', 'refused'],
  async open({ client }) {
    const { id } = await paidOut(client, '100.00');
    return { id, ref: id };
  },
};
