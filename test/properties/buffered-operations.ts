import { requireOperation } from '../../src/cards/buffered/operations';
import type { CardOperation } from '../../src/cards/buffered/record';
import { requireCard } from '../../src/cards/cards/operations';
import { closeAtProcessor } from '../../src/cards/orders/closure';
import { acceptClosure, acceptIssue, acceptTopup, acceptWithdrawal } from '../../src/cards/requests/accept';
import { carryOutOperation } from '../../src/cards/requests/carry-out';
import { quoteIssue, quoteTopup } from '../../src/cards/requests/quote';
import type { Tx } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { pick, short } from './messages';
import type { Played, Stage } from './play';
import type {
  BufferedOperation,
  CarryOutOperation,
  ConfirmOperation,
  Operation,
  PriceOperation,
  RequestOperation,
  TakeOperation,
} from './script';
import { type Answer, attempt } from './submit';
import { amountOf, keepCard, type World, type WorldCard } from './world';

/** A quote for an issuance like that of the card, or for its funding. */
export interface KnownQuote {
  id: string;
  of: PriceOperation['of'];
  card: WorldCard;
}

interface Result {
  text: string;
  answers: Answer[];
  stranger?: boolean;
  quotes?: KnownQuote[];
  operations?: string[];
}

const BUFFERED = ['price', 'take', 'ask to withdraw', 'ask to close', 'carry out', 'confirm'];

export const isBuffered = (operation: Operation): operation is BufferedOperation =>
  BUFFERED.includes(operation.do);

/** Requests of clients for buffered cards, and their execution. @param name the prefix of the operation's keys */
export async function bufferedOperation(
  stage: Stage,
  played: Played,
  operation: BufferedOperation,
  name: string,
): Promise<Result> {
  switch (operation.do) {
    case 'price':
      return price(stage, played.world, operation);
    case 'take':
      return take(stage, played, operation, name);
    case 'ask to withdraw':
    case 'ask to close':
      return request(stage, played.world, operation, name);
    case 'carry out':
      return carryOut(stage, played, operation);
    case 'confirm':
      return confirm(stage, played.world, operation);
  }
}

function callerOf({ tenants }: World, { tenantId }: WorldCard, stranger: boolean): string {
  return stranger ? (tenants.find((tenant) => tenant !== tenantId) as string) : tenantId;
}

async function price(stage: Stage, world: World, operation: PriceOperation): Promise<Result> {
  const { of, minor, allocation, stranger } = operation;
  const card = pick(world.cards, operation.card);
  const { id, accountId, userId, cardholderId, bin, currency } = card;
  const { services } = stage.api;
  const reach = callerOf(world, card, stranger);
  const asked = { accountId, amount: amountOf(minor, currency), allocation: new Decimal(allocation) };
  const { answer, value } = await attempt(services, (tx) =>
    of === 'issue'
      ? quoteIssue(services, tx, { ...asked, userId, cardholderId, bin }, reach)
      : quoteTopup(services, tx, id, asked, reach),
  );
  const text = `price ${of} of ${asked.amount.toFixed()}, ${allocation} of it set aside, for card ${card.name}`;
  return { text, answers: [answer], stranger, quotes: value ? [{ id: value.quote.id, of, card }] : [] };
}

async function take(stage: Stage, played: Played, operation: TakeOperation, name: string): Promise<Result> {
  const { world, quotes } = played;
  if (quotes.length === 0) return { text: 'take: nothing was priced', answers: [] };
  const { id: quoteId, of, card } = pick(quotes, operation.quote);
  const { services } = stage.api;
  const accept = (tx: Tx, call: Call) =>
    of === 'issue'
      ? acceptIssue(services, tx, { quoteId }, call)
      : acceptTopup(services, tx, { cardId: card.id, quoteId }, call);
  const { answers, accepted } = await atOnce(stage, world, card, { ...operation, name, accept });
  for (const { type, cardId } of accepted) {
    if (type !== 'issue') continue;
    keepCard(world, await requireCard(services.database, null, cardId), card.name.slice(0, 1), true);
  }
  const text = `take ${short(quoteId)} (${of}, card ${card.name})${times(operation.takers)}`;
  return { text, answers, stranger: operation.stranger, operations: accepted.map(({ id }) => id) };
}

async function request(
  stage: Stage,
  world: World,
  operation: RequestOperation,
  name: string,
): Promise<Result> {
  const { do: type, minor, takers, stranger } = operation;
  const card = pick(world.cards, operation.card);
  const { services } = stage.api;
  const amount = amountOf(minor, card.currency);
  const accept = (tx: Tx, call: Call) =>
    type === 'ask to close'
      ? acceptClosure(services, tx, card.id, call)
      : acceptWithdrawal(services, tx, { cardId: card.id, amount }, call);
  const { answers, accepted } = await atOnce(stage, world, card, { takers, stranger, name, accept });
  const what = type === 'ask to close' ? '' : ` ${amount.toFixed()}`;
  const text = `card ${card.name}: ${type}${what}${times(takers)}`;
  return { text, answers, stranger, operations: [...new Set(accepted.map(({ id }) => id))] };
}

type Call = Parameters<typeof acceptClosure>[3];

interface Asking {
  takers: number;
  stranger: boolean;
  name: string;
  accept(tx: Tx, call: Call): Promise<CardOperation>;
}

/** Sends `takers` requests at once, each under its own key. */
async function atOnce(stage: Stage, world: World, card: WorldCard, asking: Asking) {
  const { takers, stranger, name, accept } = asking;
  const callerId = callerOf(world, card, stranger);
  const results = await Promise.all(
    Array.from({ length: takers }, (_, index) => {
      const call = { reach: callerId, callerId, idempotencyKey: `${world.tenants[0]}-${name}-${index}` };
      return attempt(stage.api.services, (tx) => accept(tx, call));
    }),
  );
  const accepted = results.flatMap(({ value }) => (value ? [value] : []));
  return { answers: results.map(({ answer }) => answer), accepted };
}

const times = (count: number) => (count > 1 ? ` ${count} times at once` : '');

async function carryOut(stage: Stage, played: Played, operation: CarryOutOperation): Promise<Result> {
  const { world, operations } = played;
  if (operations.length === 0) return { text: 'carry out: nothing was accepted', answers: [] };
  const id = pick(operations, operation.operation);
  const { services } = stage.api;
  if (operation.stranger) {
    const { tenantId } = await requireOperation(services.database, null, id);
    const stranger = world.tenants.find((tenant) => tenant !== tenantId) as string;
    const { answer } = await attempt(services, (tx) => requireOperation(tx, stranger, id));
    return { text: `a stranger reads operation ${short(id)}`, answers: [answer], stranger: true };
  }
  const told = await Promise.all(
    Array.from({ length: operation.times }, () => carryOutOperation(services, id)),
  );
  return { text: `carry out ${short(id)}${times(operation.times)}`, answers: told.map(done) };
}

/** Asks the processor for the closure, and carries it out once it is confirmed. */
async function confirm(stage: Stage, world: World, operation: ConfirmOperation): Promise<Result> {
  const card = pick(world.cards, operation.card);
  const told = await closeAtProcessor(stage.api.services, card.id);
  return { text: `card ${card.name}: the processor is asked to close it`, answers: [done(told)] };
}

const done = (type: string): Answer => ({ status: 201, type, replayed: false });
