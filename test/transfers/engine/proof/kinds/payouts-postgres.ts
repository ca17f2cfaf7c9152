import { ZERO } from '../../../../../src/kernel/money/money';
import type { ExchangeParty } from '../../../../../src/parties/exchange/port';
import type { PayoutParty } from '../../../../../src/parties/payouts/port';
import type { PayoutWord } from '../../../../../src/parties/payouts/word';
import type { OutgoingWord } from '../../../../../src/parties/protocol/outgoing-word';
import { PartyRefused } from '../../../../../src/process/party-errors';
import { decideApproval } from '../../../../../src/transfers/approval/decide';
import { disableDestination } from '../../../../../src/transfers/exchange/withdrawals/disable-destination';
import {
  exchangeWithdrawalKind,
  type WithdrawalTerms,
  withdrawalKey,
} from '../../../../../src/transfers/exchange/withdrawals/kind';
import { ibanPayoutKind } from '../../../../../src/transfers/iban/payouts/kind';
import { orderKey, payoutKind } from '../../../../../src/transfers/payouts/kind';
import type { OutgoingKind } from '../../../../../src/transfers/payouts/outgoing';
import type { PayoutKind } from '../../../../../src/transfers/payouts/paid-by-party';
import type { OutgoingTerms, PayoutTerms } from '../../../../../src/transfers/payouts/record';
import type { Client, TestApi } from '../../../../support/api';
import { destinationOf, withdraw } from '../../../exchange/withdrawals/support';
import { credited, enabled, paidOut } from '../../../iban/support';
import { type Asked, create } from '../../../payouts/support';
import { OPERATOR } from '../acts';
import { oneOf } from '../random';
import type { PostgresProof } from '../stage';
import type { WordDouble } from '../word-double';
import { onSomeAccount, provide, sometimesClosed } from './accounts';
import { exchangeWithdrawalProof, ibanPayoutProof, payoutProof } from './payouts';
import { screeningAway } from './screening-away';

/** A payouts party over the double. Its orders are named by their keys. */
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

const ofAny = <Terms extends OutgoingTerms>(of: OutgoingKind<Terms>) =>
  ({
    firstWord: () => ({ status: 'processing', sent: ZERO, returns: [] }),
    act(services, tx, payoutId, { kind }) {
      if (kind !== 'approve' && kind !== 'reject') return undefined;
      const decision = kind === 'approve' ? 'approved' : 'rejected';
      return decideApproval(services, tx, of, { id: payoutId, decision, decidedBy: OPERATOR });
    },
  }) satisfies Partial<PostgresProof<Terms, OutgoingWord>>;

const either = (of: PayoutKind) => ({ ...ofAny(of), port: payoutsOver });

/** Requires an approval for all payouts of the client. */
async function withApproval({ database }: TestApi, { clientId }: Client): Promise<void> {
  const settings = { payouts: { approvalAbove: [] }, banking: { payout: { approvalAbove: '1.00' } } };
  await database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    ...[clientId, JSON.stringify(settings)],
  ]);
}

/** An address on a chain, whose ending tells the sandbox's screening party what to decide. */
const onChain = (ending: string) => ({
  chain: 'ethereum',
  asset: 'USDT',
  address: `0x${'ab'.repeat(17)}${ending}`,
});
const WAYS: readonly Asked[] = [
  { method: 'sepa', currency: 'EUR' },
  { method: 'sepa', currency: 'EUR' },
  { method: 'swift', currency: 'USD' },
  { method: 'crypto', currency: 'USDT', destination: onChain('ababab') },
  { method: 'crypto', currency: 'USDT', destination: onChain('bad001') },
  { method: 'crypto', currency: 'USDT', destination: onChain('bad004') },
];

export const payoutThroughPostgres: Proof = {
  ...either(payoutKind),
  proof: payoutProof,
  async prepare(api, client, n) {
    await provide(api, client);
    if (n === 0) await withApproval(api, client);
  },
  requiredStatuses: ['cancelled', 'completed', 'pending_approval', 'processing', 'returned', 'sent'],
  requiredDecisions: ['approve', 'cancel', 'conclude', 'refused', 'screening_cleared'],
  around: screeningAway,
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
  requiredStatuses: ['completed', 'pending_approval', 'processing', 'returned', 'sent'],
  requiredDecisions: ['approve', 'conclude', 'refused'],
  async open({ client }) {
    const { id } = await paidOut(client, '100.00');
    return { id, ref: id };
  },
};

/** An exchange over the double, for withdrawals only. They are named by their keys. */
function exchangeOver(double: WordDouble<OutgoingWord>, refuses: (key: string) => boolean): ExchangeParty {
  const none = () => Promise.reject(new Error('the double has only withdrawals'));
  const { order, ask, ...rest } = payoutsOver(double, refuses);
  return {
    order: none,
    askOrder: none,
    balances: none,
    askWithdrawal: ask,
    changes: rest.changes,
    verify: () => undefined,
    withdraw: ({ key, amount, currency, callbackUrl }) =>
      order({ key, method: 'sepa', amount, currency, destination: {}, callbackUrl }),
  };
}

/** By client, the destination that stays enabled. The others are disabled soon. */
const lasting = new Map<string, string>();

export const exchangeWithdrawalThroughPostgres: PostgresProof<WithdrawalTerms, OutgoingWord> = {
  ...ofAny(exchangeWithdrawalKind),
  port: exchangeOver,
  proof: exchangeWithdrawalProof,
  async prepare(api, client, n) {
    await provide(api, client);
    lasting.set(client.clientId, await destinationOf(api, client));
    const fees = [{ currency: 'EUR', amount: '1.00' }];
    const withdrawal = { fees, approvalAbove: n === 0 ? [] : [{ currency: 'EUR', amount: '10000.00' }] };
    await api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
      ...[client.clientId, JSON.stringify({ exchange: { withdrawal } })],
    ]);
  },
  requiredStatuses: ['cancelled', 'completed', 'pending_approval', 'processing', 'returned', 'sent'],
  requiredDecisions: ['approve', 'cancel', 'conclude', 'refused'],
  async open({ api, client, random }) {
    const isShort = random() < 0.2;
    const destinationId = isShort ? await another(api, client) : (lasting.get(client.clientId) ?? '');
    const wanted = { currency: 'EUR', amount: 120 };
    const id = await onSomeAccount(api, client, wanted, random, (accountId) =>
      withdraw(client, { accountId, destinationId, amount: '100.00' }),
    );
    const gone = { id: destinationId, by: OPERATOR };
    if (isShort) await api.database.transaction((tx) => disableDestination(api.services, tx, gone));
    await sometimesClosed(api, id, random);
    return { id, ref: withdrawalKey(id) };
  },
};

let accounts = 0;

/** Adds a destination with an account of its own. */
async function another(api: TestApi, client: Client): Promise<string> {
  accounts += 1;
  const bank = { name: 'Ada Byron', accountNumber: `1000${accounts}`, bic: 'COBADEFF' };
  return destinationOf(api, client, { bank });
}
