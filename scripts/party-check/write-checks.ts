import { Decimal } from '../../src/kernel/money/money';
import type { OrderOperation, PartOperation } from '../../src/parties/protocol/description';
import { codeOf, meaningOf } from '../../src/parties/protocol/meanings';
import { isDone, type Reply, told } from './caller';
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

/** What was ordered, and what its first answer was. */
interface Ordered {
  /** Of the record that was made, or to which something was done. */
  ref: string;
  key: string;
  body: Record<string, unknown>;
  read: Read;
}

const AT_ONCE = 10;
const NONE_TAKEN = 'no order was taken before';

/** What must be true of whatever an operation changes: of each order it is done once, and a key is of one order. */
export function writeChecks(context: Context, operation: Writing): Check[] {
  const { name } = operation;
  let first: Ordered | undefined;
  const known = () => needed(first, NONE_TAKEN);
  const check: MakeCheck = (short, what, money, run) => ({
    ...{ name: `${name}.${short}`, what, money, run },
  });
  return [
    check(
      'accepted',
      `${operation.path} takes an order`,
      'Nothing can be ordered: it stays held.',
      async () => {
        first = await place(context, operation);
      },
    ),
    check(
      'answer',
      'the answer is of the documented shape',
      'We take an answer that we cannot read for none: the money stays held and the order is given again and again.',
      async () => mustBeRead(operation, known()),
    ),
    check(
      'amounts',
      'amounts are decimal strings',
      'A number loses digits on its way: the books would hold another amount than was moved.',
      async () => mustBeText(known().read),
    ),
    check(
      'repeated',
      'the same order under the same key is the same record',
      'An answer that is lost is asked for again: the money would move twice.',
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
            'it was done once, whatever was repeated',
            'The money has moved more often than it was ordered.',
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
    'Two processes may give one order at the same time: the money would move more than once.',
    () => atOnce(context, operation, known()),
  );

const anotherCheck = (context: Context, operation: Writing, check: MakeCheck, known: () => Ordered): Check =>
  check(
    'another',
    'another order under a key that was used is 409, or a code idempotency_…',
    'Answered as taken, we would believe that the other one was carried out; refused, that the first one never was, and release its money.',
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
      'a body that is wrong is refused with 400 or 422 and a plain code',
      'What is answered otherwise is not known to have failed: it stays held for ever, or an amount is guessed.',
      () => mustRefuse(context, operation, known()),
    ),
    check(
      'without-key',
      'an order without an idempotency-key is refused with 400 or 422 and a code',
      'An order that no key names can be carried out twice.',
      async () => {
        const { ref, body } = known();
        const reply = await context.ask({ method: 'POST', path: pathOf(operation, ref), body });
        if (![400, 422].includes(reply.status ?? 0) || codeOf(reply.body) === undefined)
          throw new Failed(`it was answered with ${told(reply)}`);
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
    'a field that the party does not know is passed over',
    'The first release of ours that says more would have every order refused.',
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
      `the party refused it for ${target}: ${codeOf(reply.body)}; name another with --record`,
    );
  mustBeDone(reply);
  const read = readAs(operation.answer, reply.body);
  const ref = operation.kind === 'part' ? target : refIn(operation, reply);
  if (operation.kind === 'order') context.made.push({ operation, ref, body, ...versionIn(read) });
  return { ref, key, body, read };
}

/** The record that something is done to, by the name that its path has: one that was given, or that this run has made. */
async function recordFor(context: Context, { path }: PartOperation): Promise<string> {
  const { record, made, patienceMs } = context;
  if (record !== undefined) return record;
  const ref = needed(made[0]?.ref, 'it needs a record: name one that may be changed with --record');
  const field = /\{(\w+)\}/.exec(path)?.[1] ?? '';
  if (stateOperation(context)?.path.includes(`{${field}}`) === true) return ref;
  // A name of the party's own, which it tells in time.
  const named = await within(patienceMs, async () => (await readableState(context, ref))[field]);
  return needed(named as string | undefined, `the state of ${ref} tells no ${field}`);
}

/** @throws Failed where it names none */
function refIn({ ref }: OrderOperation, { body }: Reply): string {
  const named = (body as Record<string, unknown>)[ref];
  if (typeof named !== 'string' || named === '') throw new Failed(`the answer names no ${ref}`);
  return named;
}

function versionIn({ value }: Read): { version?: number } {
  const { version, state } = (value ?? {}) as { version?: number; state?: { version?: number } };
  const told = version ?? state?.version;
  return told === undefined ? {} : { version: told };
}

function mustBeRead(operation: Writing, { read, key }: Ordered): void {
  if (!read.value) throw new Failed(read.problems.join('; '));
  if (operation.kind === 'order' && operation.ref === 'key' && read.value['key'] !== key)
    throw new Failed(`it tells of the key ${String(read.value['key'])}, not of ${key}`);
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

/** The field that names what was made. */
const nameField = (operation: Writing): string =>
  operation.kind === 'order' ? operation.ref : (Object.keys(operation.example)[0] ?? 'id');

function mustBeSame(operation: Writing, read: Read, { body }: Reply): void {
  const field = nameField(operation);
  const [was, is] = [read.value?.[field], (body as Record<string, unknown>)[field]];
  if (was !== undefined && was !== is)
    throw new Failed(`${field} was ${JSON.stringify(was)}, and is ${JSON.stringify(is)} now`);
}

/** Of many at once each is taken, or told that it is being taken. */
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
  if (!aboutKey) throw new Failed(`it was answered with ${told(reply)}`);
}

async function mustRefuse(context: Context, operation: Writing, { ref, body }: Ordered): Promise<void> {
  for (const { what, sent } of malformed(operation, body)) {
    const reply = await send(context, operation, ref, sent, newKey());
    if (meaningOf('POST', reply).thrown !== 'PartyRefused')
      throw new Failed(`${what} was answered with ${told(reply)}`);
  }
}

/** Once it rests: no more has moved than was ordered, and what was done stands there once. */
async function mustBeOnce(context: Context, operation: Writing, { ref, key, body }: Ordered): Promise<void> {
  if (operation.kind === 'part') {
    const { listed: field } = operation;
    if (field === undefined) return;
    const value = await readableState(context, ref);
    const listed = (value[field] as { key?: string }[]).filter((one) => one.key === key);
    if (listed.length !== 1) throw new Failed(`${field} has it ${listed.length} times`);
    return;
  }
  const { moved } = operation;
  if (moved === undefined) return;
  const much = (value: Record<string, unknown>) => new Decimal((value[moved] ?? '0') as string);
  // What is to move moves within moments, where it does.
  const value = await within(Math.min(context.patienceMs, 2_000), async () => {
    const now = await readableState(context, ref);
    return much(now).gt(0) ? now : undefined;
  });
  if (value && much(value).gt(String(body['amount'])))
    throw new Failed(`${String(body['amount'])} was ordered, and ${moved} is ${much(value).toFixed()}`);
}
