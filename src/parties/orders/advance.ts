import type { Tx } from '../../kernel/db/database';
import { openBreaksOf, syncBreaks } from '../../process/breaks/operations';
import { RecordLost, unlessLost } from '../../process/lost-record';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../process/party-errors';
import { assertOrders } from '../../process/switches/switches';
import type { AfterEnd, Ordering, OrderKind, OrderServices, OrderWord } from './kind';
import { type KnownOrder, knownOrder, noteEnded, noteReport, type OrderName } from './reported-orders';

/** The identity of an order in `party_orders`. */
export const orderName = <Row extends Ordering>(
  { party, keyOf }: Pick<OrderKind<never, Row, never>, 'party' | 'keyOf'>,
  row: Row,
): OrderName => ({ party, ref: keyOf(row), subject: row.id, tenantId: row.tenantId });

/**
 * Takes one step of an order. Idempotent: the party is asked before it gets the order, because it may forget a key
 * after a day. An order that has ended is read for contradictions, where its kind has `afterEnd`.
 * @returns `processing`: the party has the order and has not decided; `unknown`: the party gave no answer and may have
 * the order; `lost`: the record does not exist, and a person is told; else the status of the record, with which the workflow ends
 * @throws PartyAway nothing was ordered, or the state is unknown; PartyStopped while the party is off; PartyRefused
 * where the kind has no `refused`
 */
export function advanceOrder<S extends OrderServices, R extends Ordering, W extends OrderWord>(
  services: S,
  kind: OrderKind<S, R, W>,
  id: string,
): Promise<string> {
  return unlessLost(services.database, () => advanceKnown(services, kind, id));
}

async function advanceKnown<S extends OrderServices, R extends Ordering, W extends OrderWord>(
  services: S,
  kind: OrderKind<S, R, W>,
  id: string,
): Promise<string> {
  const row = await kind.find(services.database, id);
  if (!row) throw new RecordLost(`${kind.party} order`, id);
  if (!kind.isOpen(row) && !kind.afterEnd) return kind.status(row);
  const before = await knownOrder(services.database, kind.party, kind.keyOf(row));
  try {
    return await recordReport(services, kind, row, await wordOn(services, kind, row), before);
  } catch (error) {
    if (error instanceof OutcomeUnknown) return 'unknown';
    throw error;
  }
}

async function wordOn<S extends OrderServices, R extends Ordering, W extends OrderWord>(
  services: S,
  kind: OrderKind<S, R, W>,
  row: R,
): Promise<W | 'unknown_to_party'> {
  const key = kind.keyOf(row);
  const known = await kind.ask(services, row, key);
  if (known !== 'unknown_to_party' || !kind.isOpen(row)) return known;
  await assertOrders(services, kind.party);
  const call = await kind.prepare(services, row, { key, callbackUrl: services.publicUrl() + kind.callbacks });
  if (typeof call !== 'function') return call;
  if (kind.intend && !(await kind.intend(services.database, row, true))) return 'unknown_to_party';
  try {
    return await call();
  } catch (error) {
    if (error instanceof PartyRefused && kind.refused) return kind.refused(error.code);
    if (isNothingDone(error)) await kind.intend?.(services.database, row, false);
    throw error;
  }
}

const isNothingDone = (error: unknown): boolean =>
  error instanceof PartyAway && !(error instanceof OutcomeUnknown);

const NOTHING_KNOWN: KnownOrder = { version: null, dueBy: null };

/**
 * Records the party's state of the order that was current when the party was asked. Only a decision ends an order, and
 * only once.
 * @param before what we knew before the party was asked
 */
export function recordReport<S extends OrderServices, R extends Ordering, W extends OrderWord>(
  services: S,
  kind: OrderKind<S, R, W>,
  asked: R,
  word: W | 'unknown_to_party',
  before: KnownOrder = NOTHING_KNOWN,
): Promise<string> {
  const order = orderName(kind, asked);
  const isOpen = (row: R) => kind.isOpen(row) && kind.keyOf(row) === order.ref;
  const decision = word === 'unknown_to_party' || word.status === 'processing' ? undefined : word;
  return services.database.transaction(async (tx) => {
    let row = found(await kind.lock(tx, asked.id), asked.id);
    if (decision && isOpen(row)) {
      await kind.conclude(services, tx, row, decision);
      row = found(await kind.lock(tx, asked.id), asked.id);
    } else if (decision) {
      await kind.afterEnd?.keep?.(tx, row, decision);
    }
    await noteReport(tx, order, before, word === 'unknown_to_party' ? undefined : word.version);
    const { afterEnd } = kind;
    if (afterEnd && word !== 'unknown_to_party')
      await showContradiction(tx, afterEnd, row, {
        order,
        word,
        before,
        isOpen: isOpen(row),
        at: services.now(),
      });
    if (!afterEnd && !isOpen(row)) await noteEnded(tx, kind.party, order.ref);
    return isOpen(row) ? 'processing' : kind.status(row);
  });
}

interface Report<Word> {
  order: OrderName;
  word: Word;
  before: KnownOrder;
  isOpen: boolean;
  at: Date;
}

/**
 * Opens a break where the party contradicts the result of an order, and closes it when the party agrees. An older state
 * is ignored. `processing` of an ended order counts only if it is known to be newer.
 */
async function showContradiction<Row, Word extends OrderWord>(
  tx: Tx,
  { contradicted: kind, subject: subjectOf, contradiction, wasGiven }: AfterEnd<Row, Word>,
  row: Row,
  { order: { ref, tenantId }, word, before, isOpen, at }: Report<Word>,
): Promise<void> {
  const hasEnded = !isOpen && (wasGiven?.(row) ?? true);
  if (saysNothing(word, before, hasEnded)) return;
  const subject = subjectOf(row);
  const open = (await openBreaksOf(tx, subject)).filter(
    (each) => each.kind === kind && each.detail.startsWith(`${ref}: `),
  );
  const said = isOpen ? undefined : contradiction(row, word);
  const wanted = said === undefined ? [] : [{ kind, detail: `${ref}: ${said}` }];
  await syncBreaks(tx, { tenantId, subject, open, wanted, notices: [], at });
}

/** Whether the state is ignored as old. Versions are compared only where both are known. */
function saysNothing(
  { status, version }: OrderWord,
  { version: known }: KnownOrder,
  hasEnded: boolean,
): boolean {
  const areKnown = version !== undefined && known !== null;
  if (hasEnded && status === 'processing') return !(areKnown && version > known);
  return areKnown && version < known;
}

/** @throws Error for a missing record, because commands are committed with their record */
function found<Row>(row: Row | undefined, id: string): Row {
  if (!row) throw new Error(`there is no record ${id}`);
  return row;
}
