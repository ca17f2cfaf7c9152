import { ACCOUNT_EFFECTS, CARD_EFFECTS, type Effect } from '../../../src/kernel/ledger/effects';
import { Decimal } from '../../../src/kernel/money/money';
import { groupBy, type Records, type TransactionRow } from './records';

interface Told {
  id: string;
  type: string;
  subtype?: string;
  referenceId: string;
  cardId?: string;
  source?: string;
  accountId?: string;
  amount: string;
  billingAmount: string;
}

interface Fold {
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
}

/** Checks that the webhooks and the tables of 3.4 alone lead a receiver to the stored balances. */
export function auditWebhooks(records: Records): string[] {
  const wrong: string[] = [];
  const folds = new Map<string, Fold>();
  const names = new Set<string>();
  const owners = new Map(records.accounts.map(({ id, tenant_id }) => [id, tenant_id]));
  for (const { event, data, tenant_id } of records.events) {
    const told = JSON.parse(data) as Told;
    const subject = told.cardId ?? told.accountId;
    if (subject === undefined || !(event === 'card_transaction' || event === 'account_transaction')) continue;
    const name = [event, told.referenceId, told.type, told.subtype].join(' ');
    if (names.has(name) || names.has(told.id)) wrong.push(`told twice: ${name}`);
    names.add(name).add(told.id);
    if (owners.get(subject) !== tenant_id) wrong.push(`${name} was told to another tenant`);
    fold(folds, subject, told);
  }
  foldBuffers(records, folds);
  return [...wrong, ...compare(records, folds), ...auditRecorded(records)];
}

function fold(folds: Map<string, Fold>, subject: string, told: Told): void {
  const effects: Record<string, Effect> = told.cardId ? CARD_EFFECTS : ACCOUNT_EFFECTS;
  const effect = effects[told.cardId ? told.type : `${told.type}/${told.subtype}`];
  if (!effect) throw new Error(`3.4 does not know ${told.type}/${told.subtype}`);
  const amount = new Decimal(told.cardId ? told.billingAmount : told.amount);
  const total = folds.get(subject) ?? {
    available: new Decimal(0),
    pending: new Decimal(0),
    spent: new Decimal(0),
  };
  folds.set(subject, {
    available: total.available.plus(amount.times(effect.available)),
    pending: total.pending.plus(amount.times(effect.pending)),
    spent: total.spent.plus(amount.times(effect.spent)),
  });
}

const SET_ASIDE: Record<string, 1 | -1> = { card_buffer_deposit: 1, card_buffer_refund: -1 };

/** Adds up the buffers of cards from the webhooks: fundings, less draws, plus returns by releases. */
function foldBuffers({ events, cards }: Records, folds: Map<string, Fold>): void {
  const buffers = new Map(cards.map(({ id, buffer_account_id: buffer }) => [id, buffer]));
  const told = events.map(({ data }) => JSON.parse(data) as Told);
  const ofReference = new Map(
    told.flatMap(({ cardId, referenceId }) => (cardId ? [[referenceId, cardId] as const] : [])),
  );
  for (const { type, subtype = '', source, referenceId, amount, billingAmount } of told) {
    const factor = source === 'buffer' ? (type === 'withdraw' ? 1 : -1) : SET_ASIDE[subtype];
    const buffer = buffers.get(ofReference.get(referenceId) ?? '');
    if (factor === undefined || !buffer) continue;
    const { available = new Decimal(0) } = folds.get(buffer) ?? {};
    const sum = available.plus(new Decimal(source === 'buffer' ? billingAmount : amount).times(factor));
    folds.set(buffer, { available: sum, pending: new Decimal(0), spent: new Decimal(0) });
  }
}

/**
 * Compares a card's three balances, and an account's available + pending, because holds of the settle fee are internal.
 */
function compare(records: Records, folds: Map<string, Fold>): string[] {
  const show = ({ available, pending, spent }: Fold, card: boolean) =>
    card
      ? [available, pending, spent].map((part) => part.toFixed()).join(' ')
      : available.plus(pending).toFixed();
  return records.accounts.flatMap((account) => {
    const card = account.kind === 'card';
    const none = { available: new Decimal(0), pending: new Decimal(0), spent: new Decimal(0) };
    const [stored, told] = [show(account, card), show(folds.get(account.id) ?? none, card)];
    return stored === told ? [] : [`${account.kind} ${account.id} has ${stored}, its webhooks say ${told}`];
  });
}

/** Checks that each event has one webhook, and the required lines on accounts (interface.md 6.3). */
function auditRecorded(records: Records): string[] {
  const wrong: string[] = [];
  const told = records.events.map(({ event, data }) => ({ event, ...(JSON.parse(data) as Told) }));
  const tellings = new Set(told.filter(({ event }) => event === 'card_transaction').map(({ id }) => id));
  const lines = groupBy(
    told.filter(({ event }) => event === 'account_transaction'),
    ({ referenceId }) => referenceId,
  );
  const events = groupBy(records.transactions, (row) => row.reference_id);
  if (tellings.size !== records.transactions.length)
    wrong.push('card events and their webhooks differ in number');
  for (const [reference, group] of events) {
    const expected = group.flatMap((event) => expectedLines(records, event)).sort();
    const found = (lines.get(reference) ?? [])
      .map((line) => lineOf(line.accountId, `${line.type}/${line.subtype}`, line.amount))
      .sort();
    if (expected.join() !== found.join())
      wrong.push(
        `${reference} (${group.map(({ type }) => type).join()}) told [${found.join()}], not [${expected.join()}]`,
      );
    for (const event of group)
      if (!tellings.has(event.id)) wrong.push(`${event.type} ${event.id} was not told`);
  }
  return wrong;
}

const lineOf = (account: string | undefined, name: string, amount: string | Decimal) =>
  `${account} ${name} ${new Decimal(amount).toFixed()}`;

/** The lines that a card event must have on its account and on the master account. */
function expectedLines(records: Records, event: TransactionRow): string[] {
  const card = records.cards.find(({ id }) => id === event.card_id);
  if (!card) return [];
  const { account_id: account, master_account_id: master } = card;
  const line = (of: string, name: string, amount: Decimal) =>
    amount.isZero() ? [] : [lineOf(of, name, amount)];
  const setAside = records.entries.find(
    ({ account_id: id, reference_id: reference }) =>
      id === card.buffer_account_id && reference === event.reference_id,
  );
  const moved = setAside?.available ?? new Decimal(0);
  switch (event.type) {
    case 'issue':
      return [
        ...line(account, 'transfer/card_buffer_deposit', moved),
        ...line(account, 'transfer/card_deposit', event.amount),
        ...line(account, 'fee/issue_fee', event.fee),
      ];
    case 'close':
      return line(account, 'transfer/card_buffer_refund', moved.negated());
    case 'topup':
      if (event.source === 'buffer') return [];
      return [
        ...line(account, 'transfer/card_buffer_deposit', moved),
        ...line(account, 'transfer/card_deposit', event.amount),
        ...line(account, 'fee/topup_fee', event.fee),
      ];
    case 'withdraw':
      if (event.source === 'buffer') return [];
      return line(
        account,
        event.source === 'closure' ? 'transfer/card_closed_refund' : 'transfer/card_withdraw',
        event.amount,
      );
    case 'settle':
      return line(master, 'fee/settle_fee', event.fee);
    case 'decline':
      return line(master, 'fee/decline_fee', event.fee);
    default:
      return [];
  }
}
