import { type Asked, describeReply, type Reply } from './caller';
import { bodyFor, type Context, newKey, pathOf, stateOperation, stateOperations } from './context';
import { type Check, Failed, Skipped } from './outcome';

/** Checks authorization, and the answer for an unknown record. */
export function accessChecks(context: Context): Check[] {
  return [
    {
      name: 'authorization.missing',
      what: 'a request without authorization is answered 401',
      money: 'Anybody who finds the address could order payments.',
      run: () => mustBeLeftOut(context, null),
    },
    {
      name: 'authorization.wrong',
      what: 'a request with a wrong token is answered 401',
      money: 'Anybody who finds the address could order payments.',
      run: () => mustBeLeftOut(context, `Bearer ${'0'.repeat(64)}`),
    },
    {
      name: 'authorization.right',
      what: 'the token that is derived from the secret is accepted',
      money: 'No order arrives. All money stays held until a person notices.',
      run: async () => {
        const reply = await context.ask(readOf(context));
        if ([401, 403].includes(reply.status ?? 0))
          throw new Failed(`it was answered with ${describeReply(reply)}`);
      },
    },
    ...(stateOperation(context) ? [unknownCheck(context)] : []),
  ];
}

const unknownCheck = (context: Context): Check => ({
  name: 'state.unknown',
  what: 'an unknown record is 404 with the code not_found',
  money: 'We would never repeat a lost order, or send an existing order twice.',
  run: () => mustBeUnknown(context),
});

/** A request that reads something from the party. */
export function readOf(context: Context): Asked {
  const question = context.protocol.operations.find(({ kind }) => kind === 'question');
  const state = stateOperation(context);
  if (context.protocol.changes) return { method: 'GET', path: '/changes' };
  return { method: 'GET', path: state ? pathOf(state, newKey()) : (question?.path ?? '/') };
}

/** Tries every request of the party, because one unprotected request is too many. */
async function mustBeLeftOut(context: Context, authorization: string | null): Promise<void> {
  for (const asked of [...requestsOf(context), readOf(context)]) {
    const reply = await context.ask({ ...asked, authorization });
    if (reply.status !== 401) throw new Failed(describe(asked, reply));
  }
}

function requestsOf(context: Context): Asked[] {
  return context.protocol.operations.map((operation): Asked => {
    const path = pathOf(operation, context.record ?? newKey());
    if (operation.method === 'GET') return { method: 'GET', path };
    return { method: 'POST', path, body: bodyFor(context, operation), key: newKey() };
  });
}

async function mustBeUnknown(context: Context): Promise<void> {
  const states = stateOperations(context);
  if (states.length === 0) throw new Skipped('this party keeps no records');
  for (const state of states) {
    const asked: Asked = { method: 'GET', path: pathOf(state, newKey()) };
    const reply = await context.ask(asked);
    const { code } = (reply.body ?? {}) as { code?: unknown };
    if (reply.status !== 404 || code !== 'not_found') throw new Failed(describe(asked, reply));
  }
}

const describe = ({ method, path }: Asked, reply: Reply): string =>
  `${method} ${path} was answered with ${describeReply(reply)}`;
