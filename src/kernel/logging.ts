import pino, { type DestinationStream, type LogFn, type Logger } from 'pino';
import { prettyFactory } from 'pino-pretty';

export interface LogOptions {
  level: string;
  /** Role of the process, in each line. */
  role?: string;
  /** Readable text for a terminal instead of JSON lines. */
  readable?: boolean;
  /** Fields that each line gets besides. */
  mixin?: (() => object) | undefined;
  /** Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Creates a logger whose lines carry neither secrets nor personal data. Values of sensitive names are hidden at any
 * depth. Errors are logged by type, code and stack, without the values of a statement or an address.
 */
export function createLogger({ level, role, readable = false, mixin, destination }: LogOptions): Logger {
  const lines = destination ?? standardOutput(readable);
  const options = {
    level,
    base: { role },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (given: object) => scrubbed(given, 0) as Record<string, unknown>,
    },
    serializers: { err: (described: unknown) => described },
    ...(mixin ? { mixin } : {}),
    hooks: { logMethod: withSafeMessage },
  };
  return pino(options, readable ? forPeople(lines) : lines);
}

/** Characters of lines that are kept while they cannot be written (a full disk). Further lines are lost. */
const KEPT_LENGTH = 1024 * 1024;

/** Characters that are gathered for one write, because a write for each request costs 2 % of an authorization. */
const GATHERED_LENGTH = 4_096;
/** Milliseconds that a line waits at most. A SIGKILL loses that much of the log; warnings and errors never wait. */
const GATHERED_MS = 100;

/** Lines that cannot be written are lost (see `outliveOutput`). A person at a terminal sees each line at once. */
function standardOutput(readable: boolean): DestinationStream {
  const gathering = readable ? {} : { minLength: GATHERED_LENGTH, periodicFlush: GATHERED_MS };
  const stream = pino.destination({ fd: 1, sync: true, maxLength: KEPT_LENGTH, ...gathering });
  stream.on('error', () => undefined);
  process.once('exit', () => stream.flush());
  return stream;
}

function forPeople(lines: DestinationStream): DestinationStream {
  const shown = prettyFactory({ ignore: 'pid,hostname,role' });
  return { write: (line) => lines.write(shown(line)) };
}

/** Writes a line, and a warning or an error at once. */
function withSafeMessage(this: Logger, given: Parameters<LogFn>, write: LogFn, level: number): void {
  writeSafely.call(this, given, write);
  if (level >= pino.levels.values['warn']!) this.flush();
}

/** Makes the message safe. Pino would take a missing message from the error itself, values included. */
function writeSafely(this: Logger, given: Parameters<LogFn>, write: LogFn): void {
  const [subject, message, ...rest] = given as unknown[];
  const error = subject instanceof Error ? subject : (subject as { err?: unknown } | undefined)?.err;
  if (typeof subject === 'string') {
    write.apply(this, [withoutValues(subject), message, ...rest] as Parameters<LogFn>);
    return;
  }
  const told = message ?? (error instanceof Error ? error.message : undefined);
  const safe = typeof told === 'string' ? withoutValues(told) : told;
  const fields = subject instanceof Error ? { err: subject } : subject;
  write.apply(this, [fields, safe, ...rest] as Parameters<LogFn>);
}

const HIDDEN = '[hidden]';
const DEPTH = 6;

/** Field names, compared without case, hyphens and underscores. */
const SENSITIVE = new Set(
  [
    // secrets
    ...[
      'secret',
      'clientSecret',
      'xClientSecret',
      'password',
      'masterKey',
      'masterKeys',
      'privateKey',
      'seed',
      'mnemonic',
    ],
    ...['authorization', 'proxyAuthorization', 'cookie', 'setCookie', 'xSignature', 'token', 'accessToken'],
    ...['paymentMethodToken', 'cardToken', 'checkoutUrl', 'connectionString', 'databaseUrl'],
    // cards
    ...['cardNumber', 'number', 'pan', 'cvv', 'cvc', 'cvv2', 'pin', 'expiryMonth', 'expiryYear'],
    // people (interface.md 2.1)
    ...[
      'meta',
      'firstName',
      'lastName',
      'fullName',
      'email',
      'phone',
      'phoneCode',
      'birthday',
      'country',
      'town',
    ],
    ...['address', 'postCode', 'gender', 'idType', 'idNo', 'idIssueDate', 'idExpiryDate', 'nationality'],
    ...['occupation', 'annualSalary', 'accountPurpose', 'expectedMonthlyVolume', 'ipAddress', 'ip'],
    ...['iban', 'accountNumber', 'destination', 'paymentMethodToken'],
    // may hold any of these
    ...[
      'body',
      'rawBody',
      'payload',
      'headers',
      'query',
      'parameters',
      'values',
      'detail',
      'where',
      'issues',
    ],
  ].map(plain),
);

function plain(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

/** Whether values of a name are hidden, by name. The product has few names, and a foreign object must not fill it. */
const judged = new Map<string, boolean>();
const MAX_NAMES = 10_000;

function isSensitive(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const found = SENSITIVE.has(plain(name));
  if (judged.size < MAX_NAMES) judged.set(name, found);
  return found;
}

const PLAIN_TYPES = ['string', 'number', 'boolean', 'undefined'];

/** Whether nothing of an object has to be hidden or described, as in the line of each request. */
const isHarmless = (value: object): boolean =>
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.entries(value).every(
    ([name, held]) => (held === null || PLAIN_TYPES.includes(typeof held)) && !isSensitive(name),
  );

function scrubbed(value: unknown, depth: number): unknown {
  if (value instanceof Error) return describeError(value, depth);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Date) return value;
  if (depth >= DEPTH || ArrayBuffer.isView(value)) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, depth + 1));
  if (isHarmless(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name,
      isSensitive(name) && held !== undefined && held !== null ? HIDDEN : scrubbed(held, depth + 1),
    ]),
  );
}

interface DescribedError {
  type: string;
  message: string;
  code?: unknown;
  constraint?: unknown;
  table?: unknown;
  stack?: string;
  cause?: unknown;
}

/** Type, message, code and stack of an error. Its other fields (a statement's values, a request) are left out. */
function describeError(error: Error, depth: number): DescribedError {
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const told = depth < DEPTH && error.cause !== undefined;
  return {
    type: error.name,
    message: withoutValues(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(typeof table === 'string' ? { table } : {}),
    stack: places.join('\n'),
    ...(told ? { cause: scrubbed(causeOf(error.cause), depth + 1) } : {}),
  };
}

function causeOf(cause: unknown): unknown {
  return typeof cause === 'string' ? withoutValues(cause) : cause;
}

/** Longest message. The rest costs time to make safe and is more often foreign text than ours. */
const MESSAGE_LENGTH = 500;

/** A short message of words, such as that of each request, has nothing to hide. */
const WORDS = /^[a-z ,]{1,80}$/i;

/**
 * Shortens a message and hides what may be personal data: quoted texts, query strings, email addresses and long
 * numbers.
 */
function withoutValues(message: string): string {
  if (WORDS.test(message)) return message;
  const whole = message.length <= MESSAGE_LENGTH;
  const told = withoutQuoted(message.slice(0, MESSAGE_LENGTH), whole)
    .replace(/(\w+:\/\/)[^\s/@]*@/g, '$1')
    .replace(/(\w+:\/\/[^\s?]+)\?\S*/g, '$1?…')
    .replace(/[^\s@<>]+@[^\s@<>]+/g, '…@…')
    .replace(/\d(?:[ -]?\d){8,}/g, '…');
  return whole ? told : `${told}…`;
}

/**
 * Hides all text from the first quotation mark to the last, because Postgres does not escape marks inside of a quoted
 * text. Without a closing mark, hides the rest of the message.
 */
function withoutQuoted(message: string, whole: boolean): string {
  const first = message.indexOf('"');
  if (first < 0) return message;
  const paired = whole && message.split('"').length % 2 === 1;
  const rest = paired ? message.slice(message.lastIndexOf('"') + 1) : '';
  return `${message.slice(0, first)}"…"${rest}`;
}
