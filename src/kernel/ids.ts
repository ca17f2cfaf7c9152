import { createHash, randomFillSync } from 'node:crypto';
import { TypeID } from 'typeid-js';

/** Prefixes of all public ids, in one place so that none is used twice. */
export const PREFIXES = {
  tenant: 'cli',
  user: 'usr',
  account: 'acc',
  accountTransaction: 'atx',
  cardholder: 'chd',
  card: 'card',
  cardBuffer: 'buf',
  cardOperation: 'cop',
  cardTransaction: 'ctx',
  reference: 'ref',
  statusChange: 'stc',
  tokenization: 'tkn',
  event: 'evt',
  file: 'file',
  kycDocument: 'doc',
  quote: 'quo',
  deposit: 'dep',
  depositRefund: 'rfd',
  payout: 'pay',
  externalCardTransaction: 'ect',
  virtualIban: 'vib',
  ibanPayout: 'ibp',
  ibanCredit: 'ibc',
  accountExchange: 'exc',
  exchangeOrder: 'exo',
  exchangeWithdrawal: 'exw',
  withdrawalDestination: 'wdd',
  decision: 'dec',
  callback: 'cbk',
  break: 'brk',
  suspense: 'sus',
  operator: 'opr',
  approval: 'apr',
  session: 'ses',
  processorMessage: 'prm',
  challenge: 'chl',
  wallet: 'wal',
  walletAllocation: 'wla',
  chainDeposit: 'cdp',
  sweepOperation: 'swp',
  topupOperation: 'gtp',
  stationTopup: 'stp',
} as const;

export type IdKind = keyof typeof PREFIXES;

const ALPHABET = [...'0123456789abcdefghjkmnpqrstvwxyz'];
/** Two characters for each number of ten bits. */
const PAIRS = ALPHABET.flatMap((first) => ALPHABET.map((second) => first + second));

const random = new Uint16Array(1_024);
let used = random.length;
function randomBits(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return random[used++]!;
}

const pair = (bits: number): string => PAIRS[bits & 0x3ff]!;
/** Number of ids that one millisecond can have, as bits. */
const SEQUENCE_BITS = 24;

let moment = 0;
let momentText = '';
let sequence = 0;

/** The time of the next id. A clock that goes back does not change the order of ids. */
function takePlace(): void {
  const now = Date.now();
  sequence += 1;
  if (now <= moment && sequence < 1 << SEQUENCE_BITS) return;
  moment = Math.max(now, moment + 1);
  momentText = [4, 3, 2, 1, 0].map((place) => pair(Math.floor(moment / 2 ** (10 * place)))).join('');
  sequence = ((randomBits() & 0x7f) << 16) | randomBits(); // a bit less, so that there is room
}

/**
 * A new id: prefix and UUIDv7 in base32 (TypeID 0.3). Ids of one kind sort by time, and those of one process by their
 * order. The library takes 17 µs for the ids of an authorization, and this a tenth.
 */
export function newId(kind: IdKind): string {
  takePlace();
  return (
    `${PREFIXES[kind]}_${momentText}` +
    pair(0x1c0 | (sequence >> 18)) + // version 7
    pair(((sequence >> 12) << 4) | 0x8 | ((sequence >> 10) & 3)) + // variant 2
    pair(sequence) +
    pair(randomBits()) +
    pair(randomBits()) +
    pair(randomBits()) +
    pair(randomBits()) +
    pair(randomBits())
  );
}

/** Characters at the end of an id that hold no time. */
const TAIL = 10;

/**
 * A new id whose last ten characters follow from a name. A record that is lost and made again under the same name has another id
 * with the same end.
 */
export const newIdNamed = (kind: IdKind, name: string): string =>
  newId(kind).slice(0, -TAIL) + tailOf(idNamed(kind, name));

/** The last ten characters of an id. */
export const tailOf = (id: string): string => id.slice(-TAIL);

/** The lowest id of a kind that can be made at a moment. Ids of that moment or later sort after it. */
export function firstIdAt(kind: IdKind, moment: Date): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(moment.getTime()) << 16n);
  return idOfBytes(kind, bytes);
}

/** The moment at which {@link newId} made an id. */
export function madeAt(id: string): Date {
  return new Date(bytesOfId(id).readUIntBE(0, 6));
}

/** The id derived from a name: each process derives the same id. Such ids do not sort by time. */
export function idNamed(kind: IdKind, name: string): string {
  const bytes = createHash('sha256').update(`${PREFIXES[kind]} ${name}`).digest().subarray(0, 16);
  return idOfBytes(kind, bytes);
}

/** The id with these 16 bytes. */
export function idOfBytes(kind: IdKind, bytes: Uint8Array): string {
  let text = `${PREFIXES[kind]}_`;
  let rest = 0;
  let bits = 2; // 26 characters hold two bits more than 16 bytes
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    if (bits < 10) continue;
    bits -= 10;
    text += pair(rest >> bits);
    rest &= (1 << bits) - 1;
  }
  return text;
}

/** The 16 bytes of an id. */
export const bytesOfId = (id: string): Buffer => Buffer.from(TypeID.fromString(id).toUUIDBytes());

/** Whether the text is an id of that kind. A malformed id is treated as unknown (404), never as a 400. */
export function isId(kind: IdKind, text: string): boolean {
  return kindOfId(text) === kind;
}

const KINDS = new Map(Object.entries(PREFIXES).map(([kind, prefix]) => [prefix as string, kind as IdKind]));
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The kind of an id by its prefix. Undefined for any other text. */
export function kindOfId(text: string): IdKind | undefined {
  const end = text.lastIndexOf('_');
  const kind = KINDS.get(text.slice(0, Math.max(end, 0)));
  return kind !== undefined && SUFFIX.test(text.slice(end + 1)) ? kind : undefined;
}
