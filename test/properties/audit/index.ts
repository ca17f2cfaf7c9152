import type { Database } from '../../../src/kernel/db/database';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import type { Played, Submission } from '../play';
import { follows, isReleased } from './consequences';
import { auditExchanges } from './exchanges';
import { auditHistories } from './histories';
import { auditInternals } from './internals';
import { auditNetworks } from './networks';
import { auditOperations } from './operations';
import { reachedBy } from './reached';
import { groupBy, type Records, readRecords } from './records';
import { type CardState, remaining } from './rules';
import { auditSpending } from './spending';
import { auditWebhooks } from './webhooks';

/**
 * Checks the promises 1, 4, 6 and 7 of decisions part 5 on the stored records of a world at rest.
 * @returns the problems (empty if all holds), the number of card events, and the situations that the script has reached
 */
export async function audit(
  database: Database,
  played: Played,
): Promise<{ wrong: string[]; events: number; reached: string[] }> {
  const records = await readRecords(database, played.world);
  const asked = askedFor(records, played);
  const { wrong, states } = auditHistories(records, asked);
  const ledger = await checkLedger(database);
  const all = [
    ...played.faults,
    ...wrong,
    ...ledger.map(({ problem, subject, detail }) => `${problem}: ${subject} (${detail})`),
    ...auditWebhooks(records),
    ...auditHolds(records, states),
    ...auditInternals(records),
    ...auditSpending(records),
    ...auditTenants(records),
    ...auditOperations(records),
    ...auditExchanges(records),
    ...auditNetworks(records, played),
    ...auditTold(records, asked),
    ...played.submissions.flatMap((submission) => auditKey(records, submission)),
  ];
  return { wrong: all, events: records.transactions.length, reached: reachedBy(records, played, asked) };
}

/** Checks that every hold belongs to an authorization, a card before its issuance, or an open operation. */
function auditHolds(records: Records, states: CardState[]): string[] {
  const expected = new Map<string, Decimal>();
  const add = (id: string, held: Decimal) => expected.set(id, held.plus(expected.get(id) ?? 0));
  for (const { card, chains } of states) {
    for (const chain of chains.values()) {
      add(card.id, remaining(chain.billing));
      add(card.master_account_id, chain.feeHeld);
    }
    if (card.status === 'pending') add(card.account_id, card.initial_amount.plus(card.issue_fee));
  }
  for (const { type, status, account_id: account, principal, buffer, fee } of records.operations) {
    if (status !== 'accepted' && status !== 'processing') continue;
    if (type === 'issue') add(account, buffer); // the card holds the rest
    if (type === 'topup') add(account, principal.plus(buffer).plus(fee));
  }
  return records.accounts.flatMap(({ id, kind, pending }) => {
    const held = expected.get(id) ?? new Decimal(0);
    return pending.eq(held)
      ? []
      : [`${kind} ${id} holds ${pending.toFixed()}, what is open ${held.toFixed()}`];
  });
}

/** Checks that no posting moves money between tenants, and that card events have their card's tenant. */
function auditTenants(records: Records): string[] {
  const owners = new Map(records.accounts.map(({ id, tenant_id }) => [id, tenant_id]));
  const mixed = [...groupBy(records.entries, (entry) => entry.posting_id)].filter(
    ([, entries]) => new Set(entries.map((entry) => owners.get(entry.account_id))).size > 1,
  );
  const strange = records.transactions.filter((event) => event.tenant_id !== owners.get(event.card_id));
  return [
    ...mixed.map(([posting]) => `posting ${posting} moves money between tenants`),
    ...strange.map(({ id }) => `event ${id} is another tenant's than its card`),
  ];
}

/** The events that callers know, from the answer or from the result of their operation. */
const askedFor = ({ operations }: Records, { told }: Played): Set<string> =>
  new Set([...told, ...operations.flatMap(({ result }) => result?.cardTransactionIds ?? [])]);

/** Checks that every answered event is stored, and that no stored event lacks a request. */
function auditTold(records: Records, asked: ReadonlySet<string>): string[] {
  const stored = new Set(records.transactions.map(({ id }) => id));
  const lost = [...asked].filter((id) => !stored.has(id));
  const unasked = records.transactions.filter(
    (event, index) =>
      !asked.has(event.id) &&
      !needsNoRequest(event) &&
      !isReleased(event, records.transactions[index - 1], asked),
  );
  return [
    ...lost.map((id) => `event ${id} was told to a caller but is not there`),
    ...unasked.map(({ type, id, card_id }) => `card ${card_id}: ${type} ${id} was asked for by nobody`),
  ];
}

/** Whether an event needs no request: an issue, a consequence, a forced authorization or an expiry. */
function needsNoRequest(event: Records['transactions'][number]): boolean {
  if (event.type === 'settle' || event.type === 'close') return false;
  if (event.type === 'issue') return true;
  return follows(event) || (event.type === 'authorization' && event.forced) || event.source === 'expiry';
}

/** Checks that an idempotency key has one effect and one answer (decisions part 5, 3). */
function auditKey(records: Records, { key, text, message, answers }: Submission): string[] {
  const kept = answers.filter(({ body }) => body !== undefined);
  const effects = kept.filter(({ replayed }) => !replayed);
  const bodies = new Set(kept.map(({ body }) => body));
  const type = effects[0]?.type;
  const events = records.events.filter(
    (event) => event.idempotency_key === key && isOf(event.data, effects[0]?.transactionId),
  );
  const wrong = [
    effects.length > 1 && `had ${effects.length} effects`,
    bodies.size > 1 && 'was answered in different ways',
    type !== undefined && events.length !== 1 && `left ${events.length} events of its own`,
    type === undefined &&
      records.events.some((event) => event.idempotency_key === key) &&
      'was refused, but left events',
    message.idempotencyKey !== key && 'lost its key',
  ];
  return wrong.filter((each) => each !== false).map((each) => `${text} under key ${key} ${each}`);
}

const isOf = (data: string, id: string | undefined) =>
  id !== undefined && (JSON.parse(data) as { id: string }).id === id;
