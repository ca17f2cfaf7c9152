import { isAscii } from 'node:buffer';
import { invalid } from '../errors';

/** Limits of a JSON body, so that parsing time depends on its size alone. */
const MAX_DEPTH = 32;
const MAX_FIELDS = 1_000;
const MAX_VALUES = 20_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Most bodies are ASCII, which the decoder takes ten times as long for. */
const textOf = (bytes: Buffer): string => (isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes));

/**
 * Parses a JSON object of at most 32 levels, 1,000 fields per object and 20,000 values.
 * @throws Problem 400
 */
export function parseObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  assertBounded(bytes);
  const value = parse(bytes);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalid('The body must be a JSON object.');
  return value as Record<string, unknown>;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    throw invalid('The body is not valid JSON in UTF-8.');
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts levels, fields and values before parsing, because the parser would take half a second and a gigabyte for 1 MiB
 * of brackets. Invalid JSON is left to the parser.
 */
function assertBounded(bytes: Buffer): void {
  const fields = new Uint32Array(MAX_DEPTH + 1); // by depth, of the object or array that is open there
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH)
          throw invalid(`The body must not be nested deeper than ${MAX_DEPTH} levels.`);
        fields[depth] = 0;
        values += 1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth = Math.max(0, depth - 1);
        break;
      case COMMA:
        values += 1;
        break;
      case COLON:
        if (++fields[depth]! > MAX_FIELDS) throw invalid(`An object may have at most ${MAX_FIELDS} fields.`);
        break;
      default:
    }
    if (values > MAX_VALUES) throw invalid(`The body may have at most ${MAX_VALUES} values.`);
  }
}

/** @param start position of the opening quotation mark */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether Postgres can store the text: no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Path of a field in a JSON body as errors name it (decisions part 1): `amount`, `assets[0].decimals`,
 * `minSweepAmount.USDT`.
 */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === 'number') return `${before}[${part}]`;
    return before === '' ? String(part) : `${before}.${String(part)}`;
  }, '');
}

/**
 * Path of the first field whose value or name Postgres cannot store.
 * @param except a field of the value that is not judged
 * @returns undefined when all can be stored
 */
export function unstorableField(value: unknown, except?: string): string | undefined {
  const path = unstorablePath(value, except);
  return path && fieldPath(path);
}

/** The path is built only for a field that is refused. */
function unstorablePath(value: unknown, except?: string): PropertyKey[] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : [];
  if (value === null || typeof value !== 'object') return undefined;
  for (const name of Object.keys(value)) {
    if (name === except) continue;
    if (!isStorable(name)) return [];
    const path = unstorablePath((value as Record<string, unknown>)[name]);
    if (path) return [Array.isArray(value) ? Number(name) : name, ...path];
  }
  return undefined;
}
