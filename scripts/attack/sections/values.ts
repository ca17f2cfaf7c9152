import { randomUUID } from 'node:crypto';
import type { Operation } from '../../../test/attack/operations';
import { draftsOf } from '../../../test/attack/requests';
import type { Ask } from '../../../test/support/ask';
import { deskBody } from '../desk-request';
import type { Trials } from '../trials';
import { NOBODY, type World } from '../world';

const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

/** JSON that a field may hold on the wire, whatever its schema says. Written as text, because no object makes most of it. */
const HOSTILE: Record<string, string> = {
  NUL: '"a\\u0000b"',
  'half a surrogate': '"\\ud800"',
  'the other half': '"\\udc00x"',
  'a huge number': '1e400',
  'a long number': '9'.repeat(400),
  'a number below zero': '-1',
  'minus zero': '-0',
  'an amount without an end': `"${'9'.repeat(5_000)}.99"`,
  'an amount with an exponent': '"1e9"',
  'not a number': '"NaN"',
  'Arabic digits': '"١٢٣"',
  'a deep list': nested('[', ']', 5_000),
  'a deep object': nested('{"a":', '}', 2_000).replace('}', '1}'),
  'a list': '[]',
  'an object': '{}',
  prototype: '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}',
  null: 'null',
  truth: 'true',
  'an empty text': '""',
  'a statement': '"\'; drop table tenants; --"',
  'a template': '"${7*7}{{7*7}}%s%n"',
  'a path': '"../../../../etc/passwd"',
  'a long text': `"${'x'.repeat(100_000)}"`,
  'letters that turn': '"\\u202e\\ufeff\\u200b"',
  'year zero': '"0000-01-01T00:00:00Z"',
  'the year 10000': '"9999-12-31T23:59:59-23:59"',
  'no such day': '"2026-02-30"',
};

/** Texts of paths and queries, as they are sent. */
const HOSTILE_TEXTS = [
  ...[
    '%00',
    'a%00b',
    '%ff',
    '%c3%28',
    '%ed%a0%80',
    '%',
    '%2e%2e%2f',
    '..%5c..',
    '%0d%0ax:%20y',
    "'%20or%201=1",
  ],
  ...[
    '9'.repeat(400),
    'x'.repeat(4_000),
    '-1',
    '1e9',
    'NaN',
    'infinity',
    'now',
    '%7b%7d',
    '[]',
    '',
    '+',
    '٣',
  ],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '2026-02-30', '__proto__', 'constructor'],
];

/** No value may lead to an error of the server. A valid one may succeed. */
const ANY_ANSWER = {
  status: [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 303, 431, 503],
};

/** Sends each hostile value in each place of each operation of both documents. */
export async function values(world: World, trials: Trials): Promise<void> {
  const [client, admin] = [await world.tenant(), await world.tenant('admin')];
  const askApi = ({ role }: Operation) => (role === 'admin' ? admin : client).ask;
  const api = casesOf(world.operations, askApi, bodyOfApi(world));
  const desk = casesOf(world.deskOperations.filter(isHarmless), () => world.deputy, deskBody);
  const open = casesOf(world.openOperations, () => world.askDesk, deskBody);
  for (const { what, send } of trials.spread([...api, ...desk, ...open]))
    trials.answered(what, await send(), ANY_ANSWER);
}

/** The session of this attack goes on. */
const isHarmless = ({ path }: Operation) => !path.endsWith('/sessions/current');

interface Case {
  what: string;
  send(): ReturnType<Ask>;
}

function casesOf(
  operations: readonly Operation[],
  askOf: (operation: Operation) => Ask,
  bodyOf: (operation: Operation) => Record<string, unknown> | undefined,
): Case[][] {
  return operations.map((operation) => {
    const { name, method, path } = operation;
    const ask = askOf(operation);
    const send = (what: string, at: string, body?: string, headers: Record<string, string> = {}): Case => ({
      what: `${name} with ${what}`,
      send: () => ask(method, at, body, { 'x-idempotency-key': randomUUID(), ...headers }),
    });
    const plain = path.replaceAll(/\{\w+\}/g, NOBODY);
    const valid = bodyOf(operation) ?? {};
    const sent = operation.body && operation.takesJson;
    const text = sent ? JSON.stringify(valid) : undefined;
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([found]) => found);
    return [
      ...params.flatMap((param) =>
        HOSTILE_TEXTS.filter(Boolean).map((value) =>
          send(
            `${param} ${value.slice(0, 20)}`,
            path.replace(param, value).replaceAll(/\{\w+\}/g, NOBODY),
            text,
          ),
        ),
      ),
      ...operation.queries.flatMap(({ name: param }) =>
        HOSTILE_TEXTS.map((value) =>
          send(`?${param}=${value.slice(0, 20)}`, `${plain}?${param}=${value}`, text),
        ),
      ),
      ...(sent
        ? [...Object.keys(operation.body?.properties ?? {}), '__proto__', 'unknown'].flatMap((field) =>
            Object.entries(HOSTILE).map(([what, value]) =>
              send(`${field}: ${what}`, plain, withField(valid, field, value)),
            ),
          )
        : []),
      ...['x'.repeat(300), ' ', '\u00e9', 'a,b'].map((key) =>
        send(`the key ${key.slice(0, 5)}`, plain, text, { 'x-idempotency-key': key }),
      ),
    ];
  });
}

/** Adds a field as text, so that a value may be what no JavaScript holds. */
function withField(valid: object, field: string, value: string): string {
  const { [field as keyof object]: _, ...rest } = valid;
  const text = JSON.stringify(rest).slice(1, -1);
  return `{${text ? `${text},` : ''}${JSON.stringify(field)}:${value}}`;
}

const bodyOfApi =
  (world: World) =>
  (operation: Operation): Record<string, unknown> => {
    const { body = {} } = draftsOf(world, operation, 1)[0] ?? {};
    return Object.fromEntries(Object.entries(body).filter(([, value]) => !Buffer.isBuffer(value)));
  };
