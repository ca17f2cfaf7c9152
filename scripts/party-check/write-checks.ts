import { Decimal } from '../../src/kernel/money/money';
import type { OrderOperation, PartOperation } from '../../src/parties/protocol/description';
import { codeOf, meaningOf } from '../../src/parties/protocol/meanings';
import { describeReply, isDone, type Reply } from './caller';
import {
  bodyFor,
  type Context,
  mustBeDone,
  newKey,
  pathOf,
  readableState,
  stateOperation,
  within,
} from './context';
import { malformed } from './malformed';
import { type Check, Failed, needed, Skipped } from './outcome';
import { type Read, readAs } from './shape';

type Writing = OrderOperation | PartOperation;

/** An order and its first answer. */
interface Ordered {
  /** Name of the created or changed record. */
  ref: string;
  key: string;
  body: Record<string, unknown>;
  read: Read;
}

const AT_ONCE = 10;
const NONE_TAKEN = 'no order was taken before';

/** Checks of an operation that changes something: an order has one effect, and a key belongs to one order. */
export function writeChecks(context: Context, operation: Writing): Check[] {
  const { name } = operation;
  let first: Ordered | undefined;
  const known = () => needed(first, NONE_TAKEN);
  const check: MakeCheck = (short, what, money, run) => ({
    name: `${name}.${short}`,
    what,
    money,
    run,
  });
  return [
    check(
      'accepted',
      `${operation.path} takes an order`,
      'Nothing can be ordered. The money stays held.',
      async () => {
        first = await place(context, operation);
      },
    ),
    check(
      'answer',
      'the answer has the documented shape',
      'We treat an unreadable answer as no answer. The money stays held, and we repeat the order again and again.',
      async () => mustBeRead(operation, known()),
    ),
    check(
      'amounts',
      'amounts are decimal strings',
      'A number may lose digits, so that the books have another amount than was moved.',
      async () => mustBeText(known().read),
    ),
    check(
      'repeated',
      'the same order under the same key is the same record',
      'We repeat an order whose answer is lost. The money would move twice.',
      () => repeat(context, operation, known()),
    ),
    ...(isSingle(operation) ? [] : [onceAtOnce(context, operation, check, known)]),
    ...(Object.keys(operation.another).length === 0 ? [] : [anotherCheck(context, operation, check, known)]),
    ...refusalChecks(context, operation, check, known),
    ...((operation.kind === 'order' ? operation.moved : operation.listed) === undefined
      ? []
      : [
          check(
            'once',
            'the order has one effect in spite of repeats',
            'More money has moved than was ordered.',
            () => mustBeOnce(context, operation, known()),
          ),
        ]),
  ];
}
type MakeCheck = (short: string, what: string, money: string, run: () => Promise<void>) => Check;

const isSingle = (operation: Writing): boolean => operation.kind === 'part' && operation.single === true;

const onceAtOnce = (context: Context, operation: Writing, check: MakeCheck, known: () => Ordered): Check =>
  check(
    'at-once',
    `the same order ${AT_ONCE} times at once is one record`,
    'Two processes may send one order at the same time. The money would move more than once.',
    () => atOnce(context, operation, known()),
  );

const anotherCheck = (context: Context, operation: Writing, check: MakeCheck, known: () => Ordered): Check =>
  check(
    'another',
    'another order under a used key is 409, or a code idempotency_…',
    'If it is accepted, we believe that the other order was executed. If it is refused, we release the money of the first order.',
    () => another(context, operation, known()),
  );

function refusalChecks(
  context: Context,
  operation: Writing,
  check: MakeCheck,
  known: () => Ordered,
): Check[] {
  return [
    check(
      'malformed',
      'an invalid body is refused with 400 or 422 and a plain code',
      'With another answer we do not know that the order failed. Its money stays held for ever, or the party guesses an amount.',
      () => mustRefuse(context, operation, known()),
    ),
    check(
      'without-key',
      'an order without an idempotency-key is refused with 400 or 422 and a code',
      'An order without a key can be executed twice.',
      async () => {
        const { ref, body } = known();
        const reply = await context.ask({ method: 'POST', path: pathOf(operation, ref), body });
        if (![400, 422].includes(reply.status ?? 0) || codeOf(reply.body) === undefined)
          throw new Failed(`it was answered with ${describeReply(reply)}`);
      },
    ),
    ...(isSingle(operation) ? [] : [unknownFieldsCheck(context, operation, check, known)]),
  ];
}

const unknownFieldsCheck = (
  context: Context,
  operation: Writing,
  check: MakeCheck,
  known: () => Ordered,
): Check =>
  check(
    'unknown-fields',
    'the party ignores an unknown field',
    'The party would refuse every order once a release of ours sends a new field.',
    async () => {
      const { ref, body } = known();
      mustBeDone(await send(context, operation, ref, { ...body, fieldOfALaterRelease: 'yes' }, newKey()));
    },
  );

const send = (
  { ask }: Context,
  operation: Writing,
  ref: string,
  body: unknown,
  key: string,
): Promise<Reply> => ask({ method: 'POST', path: pathOf(operation, ref), body, key });

async function place(context: Context, operation: Writing): Promise<Ordered> {
  const target = operation.kind === 'part' ? await recordFor(context, operation) : '';
  const [key, body] = [newKey(), bodyFor(context, operation)];
  const reply = await send(context, operation, target, body, key);
  if (operation.kind === 'part' && meaningOf('POST', reply).thrown === 'PartyRefused')
    throw new Skipped(
      `the party refused the order for ${target}: ${codeOf(reply.body)}; name another record with --record`,
    );
  mustBeDone(reply);
  const read = readAs(operation.answer, reply.body);
  const ref = operation.kind === 'part' ? target : refIn(operation, reply);
  if (operation.kind === 'order') context.made.push({ operation, ref, body, ...versionIn(read) });
  return { ref, key, body, read };
}

/** Returns the name of the record in the operation's path: the given one, or one that this run created. */
async function recordFor(context: Context, { path }: PartOperation): Promise<string> {
  const { record, made, patienceMs } = context;
  if (record !== undefined) return record;
  const ref = needed(made[0]?.ref, 'the check needs a record: name one that may be changed with --record');
  const field = /\{(\w+)\}/.exec(path)?.[1] ?? '';
  if (stateOperation(context)?.path.includes(`{${field}}`) === true) return ref;
  // The party gives this name some time after the order.
  const named = await within(patienceMs, async () => (await readableState(context, ref))[field]);
  return needed(named as string | undefined, `the state of ${ref} has no ${field}`);
}

/** @throws Failed when the answer has no name */
function refIn({ ref }: OrderOperation, { body }: Reply): string {
  const named = (body as Record<string, unknown>)[ref];
  if (typeof named !== 'string' || named === '') throw new Failed(`the answer has no ${ref}`);
  return named;
}

function versionIn({ value }: Read): { version?: number } {
  const { version, state } = (value ?? {}) as { version?: number; state?: { version?: number } };
  const found = version ?? state?.version;
  return found === undefined ? {} : { version: found };
}

function mustBeRead(operation: Writing, { read, key }: Ordered): void {
  if (!read.value) throw new Failed(read.problems.join('; '));
  if (operation.kind === 'order' && operation.ref === 'key' && read.value['key'] !== key)
    throw new Failed(`the answer has the key ${String(read.value['key'])}, not ${key}`);
}

function mustBeText({ numbers }: Read): void {
  if (numbers.length > 0) throw new Failed(`a number in ${numbers.join(', ')}`);
}

async function repeat(
  context: Context,
  operation: Writing,
  { ref, key, body, read }: Ordered,
): Promise<void> {
  const reply = await send(context, operation, ref, body, key);
  mustBeDone(reply);
  mustBeSame(operation, read, reply);
}

/** Field with the name of the created record. */
const nameField = (operation: Writing): string =>
  operation.kind === 'order' ? operation.ref : (Object.keys(operation.example)[0] ?? 'id');

function mustBeSame(operation: Writing, read: Read, { body }: Reply): void {
  const field = nameField(operation);
  const [was, is] = [read.value?.[field], (body as Record<string, unknown>)[field]];
  if (was !== undefined && was !== is)
    throw new Failed(`${field} was ${JSON.stringify(was)}, and is ${JSON.stringify(is)} now`);
}

/** Sends many at once. Each is taken, or refused because one is being taken. */
async function atOnce(context: Context, operation: Writing, { ref, body }: Ordered): Promise<void> {
  const key = newKey();
  const all = Array.from({ length: AT_ONCE }, () => send(context, operation, ref, body, key));
  const replies = await Promise.all(all);
  const wrong = replies.find((reply) => !isDone(reply) && meaningOf('POST', reply).thrown !== 'PartyAway');
  if (wrong) mustBeDone(wrong);
  const last = await send(context, operation, ref, body, key);
  mustBeDone(last);
  const read = readAs(operation.answer, last.body);
  for (const reply of replies.filter(isDone)) mustBeSame(operation, read, reply);
  const made = operation.kind === 'order' ? refIn(operation, last) : ref;
  if (operation.kind === 'order') context.made.push({ operation, ref: made, body, ...versionIn(read) });
  await mustBeOnce(context, operation, { ref: made, key, body, read });
}

async function another(context: Context, operation: Writing, { ref, key, body }: Ordered): Promise<void> {
  const reply = await send(context, operation, ref, { ...body, ...operation.another }, key);
  const aboutKey = reply.status === 409 || codeOf(reply.body)?.startsWith('idempotency_') === true;
  if (!aboutKey) throw new Failed(`it was answered with ${describeReply(reply)}`);
}

async function mustRefuse(context: Context, operation: Writing, { ref, body }: Ordered): Promise<void> {
  for (const { what, sent } of malformed(operation, body)) {
    const reply = await send(context, operation, ref, sent, newKey());
    if (meaningOf('POST', reply).thrown !== 'PartyRefused')
      throw new Failed(`${what} was answered with ${describeReply(reply)}`);
  }
}

/** Checks that a part is listed once, or that no more has moved than was ordered. */
async function mustBeOnce(context: Context, operation: Writing, { ref, key, body }: Ordered): Promise<void> {
  if (operation.kind === 'part') {
    const { listed: field } = operation;
    if (field === undefined) return;
    const value = await readableState(context, ref);
    const listed = (value[field] as { key?: string }[]).filter((one) => one.key === key);
    if (listed.length !== 1) throw new Failed(`${field} has the order ${listed.length} times`);
    return;
  }
  const { moved } = operation;
  if (moved === undefined) return;
  const much = (value: Record<string, unknown>) => new Decimal((value[moved] ?? '0') as string);
  // Movements happen within moments, if at all.
  const value = await within(Math.min(context.patienceMs, 2_000), async () => {
    const now = await readableState(context, ref);
    return much(now).gt(0) ? now : undefined;
  });
  if (value && much(value).gt(String(body['amount'])))
    throw new Failed(`${String(body['amount'])} was ordered, and ${moved} is ${much(value).toFixed()}`);
}
