import { CARD_EFFECTS, type CardTransactionType } from '../../../src/kernel/ledger/effects';
import { Decimal } from '../../../src/kernel/money/money';
import { auditBuffers, depositsOf, moveBuffer } from './buffers';
import { follows, isReleased } from './consequences';
import { type ChainRow, type ChangeRow, groupBy, type Records, type TransactionRow } from './records';
import { type CardState, type ChainState, type Complain, RULES, remaining } from './rules';

/**
 * Replays the history of every card in the order of its numbers, and checks each event by the rules. The card's lock
 * gives the events of all connections one order, and this order must be valid.
 * @returns the problems, and the state of each card by its events
 */
export function auditHistories(
  records: Records,
  asked: ReadonlySet<string>,
): { wrong: string[]; states: CardState[] } {
  const wrong: string[] = [];
  const byCard = groupBy(records.transactions, (row) => row.card_id);
  const changes = groupBy(records.changes, (row) => row.account_id);
  const closures = new Set(records.operations.filter(({ type }) => type === 'close').map(({ id }) => id));
  const deposits = depositsOf(records);
  const rates = new Map(records.chains.map((chain) => [chain.id, chain.rate]));
  const aged = new Set(records.chains.filter(isAged).map(({ id }) => id));
  const states = records.cards.map((card) => {
    const state: CardState = {
      card,
      status: 'pending',
      available: new Decimal(0),
      buffer: new Decimal(0),
      moved: new Map(),
      deposits,
      drawnFor: null,
      drawnAmount: new Decimal(0),
      due: null,
      asked,
      chains: new Map(),
      rates,
      aged,
      everLimited: records.limits.some(({ subject_id: id }) => id === card.id || id === card.user_id),
    };
    const closing = (changes.get(card.id) ?? []).find(
      ({ record_id: id, previous_status: before }) => closures.has(id) && before === null,
    );
    replay(state, byCard.get(card.id) ?? [], closing, wrong);
    wrong.push(...auditNumbers(byCard.get(card.id) ?? [], changes.get(card.id) ?? []));
    return state;
  });
  wrong.push(
    ...auditEntries(records),
    ...auditChains(records.chains, states),
    ...auditBuffers(records, states),
  );
  return { wrong, states };
}

/** @param closing when a client asked for the closure, which has no event and ends all spending */
function replay(
  state: CardState,
  events: TransactionRow[],
  closing: ChangeRow | undefined,
  wrong: string[],
): void {
  let before: TransactionRow | undefined;
  for (const [index, event] of events.entries()) {
    const complain: Complain = (what) => void wrong.push(`${nameOf(event)} ${what}`);
    if (closing && before?.number.lt(closing.number) !== false && event.number.gt(closing.number))
      beginClosure(state, complain);
    if (!follows(event) && !isReleased(event, before, state.asked)) restsBetween(state, complain);
    checkBalances(before, event, complain);
    if (event.forced && event.type === 'authorization' && !state.asked.has(event.id))
      checkForced(event, events[index + 1], complain);
    moveBuffer(state, event, events[index + 1], complain);
    RULES[event.type]?.(state, event, complain);
    state.available = event.available;
    before = event;
  }
  const complain: Complain = (what) =>
    void wrong.push(`card ${state.card.id} (${state.card.status}) ${what}`);
  if (closing && before?.number.lt(closing.number) !== false) beginClosure(state, complain);
  if (state.due) complain(`returned nothing of ${state.due.amount.toFixed()} to its buffer`);
  restsBetween(state, complain);
  auditStatus(state, complain);
}

function beginClosure(state: CardState, complain: Complain): void {
  if (state.status !== 'active' && state.status !== 'frozen')
    complain(`its closure began while it was ${state.status}`);
  state.status = 'closing';
}

const nameOf = (event: TransactionRow) =>
  `card ${event.card_id}: event ${event.number.toFixed()}, ${event.forced ? 'forced ' : ''}${event.type} ` +
  `${event.amount.toFixed()} ${event.currency},`;

/** Checks the invariants after every transaction (decisions part 3, and part 4, Buffered cards). */
function restsBetween({ status, available, buffer }: CardState, complain: Complain): void {
  if (status === 'closed' && !(available.isZero() && buffer.isZero()))
    complain(`a closed card was left with ${available.toFixed()}, and ${buffer.toFixed()} set aside`);
  if (status === 'active' && available.lt(0)) complain(`an active card was left with ${available.toFixed()}`);
  if (available.lt(0) && buffer.gt(0))
    complain(`a card was left with ${available.toFixed()}, and ${buffer.toFixed()} set aside`);
}

/** Checks that events and status changes share the card's numbers without a gap, in the order of their times. */
function auditNumbers(events: TransactionRow[], changes: ChangeRow[]): string[] {
  const all = [...events, ...changes].sort((a, b) => a.number.comparedTo(b.number));
  return all.flatMap(({ number, at }, index) => {
    const before = all[index - 1];
    const id = events[0]?.card_id ?? changes[0]?.account_id;
    if (!number.eq(index + 1)) return [`card ${id}: number ${number.toFixed()} comes as the ${index + 1}th`];
    return before && at < before.at ? [`card ${id}: ${number.toFixed()} is stamped before ${index}`] : [];
  });
}

/** Checks that the event's recorded balances are the sums by the table of 3.4. */
function checkBalances(before: TransactionRow | undefined, event: TransactionRow, complain: Complain): void {
  const effect = CARD_EFFECTS[event.type as CardTransactionType];
  for (const balance of ['available', 'pending', 'spent'] as const) {
    const fold = event.billing_amount.times(effect[balance]).plus(before?.[balance] ?? 0);
    if (!event[balance].eq(fold))
      complain(`records ${balance} ${event[balance].toFixed()}, not ${fold.toFixed()}`);
  }
  if (event.pending.lt(0)) complain('leaves pending below zero');
}

function checkForced(event: TransactionRow, next: TransactionRow | undefined, complain: Complain): void {
  const settled = next?.type === 'settle' && next.authorization_id === event.authorization_id;
  if (!settled || next.at.getTime() !== event.at.getTime())
    complain('is forced, but no settle follows it at once');
}

function auditStatus({ card, status, available }: CardState, complain: Complain): void {
  const stored = card.status === 'failed' ? 'pending' : card.status;
  if (stored !== status) complain(`should be ${status} by its events`);
  if ((card.status === 'frozen') !== card.freeze_reasons.length > 0)
    complain(`has reasons ${card.freeze_reasons.join()}`);
  const live = card.status === 'active' || card.status === 'frozen';
  // A client may freeze a card above zero for insufficient funds.
  const insufficient = available.lt(0) || card.insufficient_asked;
  if (live && insufficient !== card.freeze_reasons.includes('insufficient_funds'))
    complain(`has ${available.toFixed()} and reasons ${card.freeze_reasons.join()}`);
  if (card.status === 'failed' && !available.isZero()) complain(`failed, but has ${available.toFixed()}`);
}

/**
 * Checks that the card's ledger account has one entry for each event with an amount, under its number, and no other.
 */
function auditEntries(records: Records): string[] {
  const wrong: string[] = [];
  const cards = new Set(records.cards.map(({ id }) => id));
  const entries = new Map(
    records.entries
      .filter((entry) => cards.has(entry.account_id))
      .map((entry) => [`${entry.account_id} ${entry.number.toFixed()}`, entry]),
  );
  for (const event of records.transactions) {
    const name = `${event.card_id} ${event.number.toFixed()}`;
    const entry = entries.get(name);
    entries.delete(name);
    const moves =
      event.billing_amount.gt(0) && !['decline', 'freeze', 'unfreeze', 'close'].includes(event.type);
    if (moves !== Boolean(entry)) wrong.push(`${nameOf(event)} ${moves ? 'has no entry' : 'has an entry'}`);
    if (!entry) continue;
    const same =
      entry.type === event.type &&
      entry.at.getTime() === event.at.getTime() &&
      entry.reference_id === event.reference_id &&
      entry.balance_available.eq(event.available) &&
      entry.balance_pending.eq(event.pending) &&
      entry.balance_spent.eq(event.spent);
    if (!same) wrong.push(`${nameOf(event)} differs from its entry`);
  }
  return [...wrong, ...[...entries.keys()].map((name) => `an entry belongs to no event: ${name}`)];
}

/** Whether the test has shortened the validity, which is seven days in every programme. */
const isAged = ({ expires_at, created_at }: ChainRow) =>
  expires_at.getTime() - created_at.getTime() < 6 * 86_400_000;

const COUNTERS = ['authorized', 'settled', 'reversed', 'refunded'] as const;

/**
 * Checks an authorization's sums of its events in both currencies. It holds the rest, and nothing once it is closed.
 */
function auditChains(chains: ChainRow[], states: CardState[]): string[] {
  const wrong: string[] = [];
  const replayed = new Map(states.flatMap((state) => [...state.chains]));
  for (const chain of chains) {
    const state = replayed.get(chain.id);
    replayed.delete(chain.id);
    const faults = state ? chainFaults(chain, state) : ['was opened by no event'];
    wrong.push(...faults.map((fault) => `authorization ${chain.id} ${fault}`));
  }
  return [...wrong, ...[...replayed.keys()].map((id) => `authorization ${id} has no record`)];
}

function chainFaults(chain: ChainRow, state: ChainState): string[] {
  const faults: string[] = [];
  for (const name of COUNTERS) {
    if (!chain[name].eq(state.own[name]))
      faults.push(`${name} ${chain[name].toFixed()}, not ${state.own[name].toFixed()}`);
    const billing = chain[`billing_${name}`];
    if (!billing.eq(state.billing[name]))
      faults.push(`billing ${name} ${billing.toFixed()}, not ${state.billing[name].toFixed()}`);
  }
  if (!chain.fee_held.eq(state.feeHeld))
    faults.push(`holds a fee of ${chain.fee_held.toFixed()}, not ${state.feeHeld.toFixed()}`);
  if (!chain.buffer_drawn.eq(state.drawn))
    faults.push(`has drawn ${chain.buffer_drawn.toFixed()} of the buffer, not ${state.drawn.toFixed()}`);
  const held = remaining(state.own);
  if (held.lt(0) || remaining(state.billing).lt(0) || state.feeHeld.lt(0))
    faults.push('holds less than nothing');
  if (held.isZero() && !(remaining(state.billing).isZero() && state.feeHeld.isZero()))
    faults.push('is over but holds');
  if (chain.closed !== held.isZero())
    faults.push(`is ${chain.closed ? '' : 'not '}closed and holds ${held.toFixed()}`);
  if (!isAged(chain) && chain.expires_at.getTime() !== state.validUntil.getTime())
    faults.push(`is valid until ${chain.expires_at.toISOString()}, not ${state.validUntil.toISOString()}`);
  if (chain.reference_id !== state.reference) faults.push('has another reference than its first event');
  return faults;
}
