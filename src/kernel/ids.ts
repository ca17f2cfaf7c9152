import { createHash } from 'node:crypto';
import { TypeID, typeidUnboxed } from 'typeid-js';

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

/** A new id: prefix and UUIDv7 in base32. Ids of one kind sort by time. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(PREFIXES[kind]);
}

/** The lowest id of a kind that can be made at a moment. Ids of that moment or later sort after it. */
export function firstIdAt(kind: IdKind, moment: Date): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(moment.getTime()) << 16n);
  return TypeID.fromUUIDBytes(PREFIXES[kind], bytes).toString();
}

/** The id derived from a name: each process derives the same id. Such ids do not sort by time. */
export function idNamed(kind: IdKind, name: string): string {
  const bytes = createHash('sha256').update(`${PREFIXES[kind]} ${name}`).digest().subarray(0, 16);
  return TypeID.fromUUIDBytes(PREFIXES[kind], bytes).toString();
}

/** Whether the text is an id of that kind. A malformed id is treated as unknown (404), never as a 400. */
export function isId(kind: IdKind, text: string): boolean {
  try {
    return TypeID.fromString(text).getType() === PREFIXES[kind];
  } catch {
    return false;
  }
}

/** The kind of an id by its prefix. Undefined for any other text. */
export function kindOfId(text: string): IdKind | undefined {
  return (Object.keys(PREFIXES) as IdKind[]).find((kind) => isId(kind, text));
}
