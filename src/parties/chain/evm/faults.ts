/**
 * Failures of one address of a chain. The errors stay within the adapter and hold no text of the node, because that
 * text may repeat the address and its credentials.
 */

/** The node gives no answer, or no readable one. */
export class NodeAway extends Error {
  override name = 'NodeAway';
  /** @param wasSent whether the node may have received the request */
  constructor(readonly wasSent: boolean) {
    super('a node of the chain gives no answer that can be read');
  }
}

/** The answer exceeds the limit of bytes. */
export class TooLong extends NodeAway {
  override name = 'TooLong';
  constructor() {
    super(true);
  }
}

/** The node takes longer than we wait. */
export class TimedOut extends NodeAway {
  override name = 'TimedOut';
  constructor() {
    super(true);
  }
}

/** The node answers with another HTTP status than a success. */
export class BadStatus extends NodeAway {
  override name = 'BadStatus';
  /** @param status a 4xx did nothing */
  constructor(readonly status: number) {
    super(status >= 500);
  }
}

/** The node asks to be left alone for a while, because its quota is used up. It has done nothing. */
export class Limited extends NodeAway {
  override name = 'Limited';
  /** @param restMs as the node asks; undefined: it does not tell */
  constructor(readonly restMs?: number) {
    super(false);
  }
}

export class OtherChain extends NodeAway {
  override name = 'OtherChain';
  constructor() {
    super(false);
  }
}

export class NodeRefused extends Error {
  override name = 'NodeRefused';
  constructor(readonly why: Refusal) {
    super('a node of the chain refuses');
  }
}

/** The chain was reorganised between two answers, so they belong to two chains. */
export class Unsettled extends Error {
  override name = 'Unsettled';
  constructor() {
    super('the chain was reorganised while it was read');
  }
}

/** `not_now`: the node may accept it later, or another node may. */
export type Refusal =
  | 'already_known'
  | 'nonce_too_low'
  | 'insufficient_funds'
  | 'underpriced'
  | 'reverted'
  | 'not_now'
  | 'refused';

/**
 * Recognises refusals by their words, because JSON-RPC has one code (-32000) for most of them. Covers geth, Nethermind,
 * Besu, Erigon, reth and anvil. viem's own parser reads `already known` as a nonce that is too low.
 */
const WORDS: readonly (readonly [RegExp, Refusal])[] = [
  [/already.?(known|imported|exists)|\bknown transaction/, 'already_known'],
  [/revert|invalid.{0,4}opcode|out of gas|gas required exceeds/, 'reverted'],
  [/nonce.{0,6}too.?low|old.?nonce|nonce.*already/, 'nonce_too_low'],
  [/insufficient.?(funds|balance)/, 'insufficient_funds'],
  [/underpriced|fee.{0,8}too.?low|less than block base fee/, 'underpriced'],
  // An earlier transaction of the sender is under way.
  [/nonce.{0,12}(too.?(high|far|distant)|gap)/, 'not_now'],
  [/(rate|request|capacity).{0,12}limit|(?<!gas )limit exceeded|too many|pool.{0,6}full/, 'not_now'],
  [/time.?out|timed out|busy|try again|overload|unavailable/, 'not_now'],
];

/** Codes of EIP-1474 that do not judge the request: parse error, internal error, unknown method, limit exceeded. */
const NOT_NOW = [-32700, -32603, -32601, -32005];

/** EIP-1474 `limit exceeded`. Some nodes also use it for answers that are too long. */
const LIMIT_EXCEEDED = -32005;
const QUOTA =
  /^limit exceeded\W*$|too many requests|(rate|request|capacity|credits?|quota|per second|compute).{0,24}(limit|exceed)/;

/** Whether a JSON-RPC error tells that the quota of requests is used up. A node that finds an answer too long does not. */
export const isQuota = ({ code, message }: { code: number; message: string }): boolean =>
  (code === LIMIT_EXCEEDED || code === 429) && QUOTA.test(message.slice(0, 1_000).toLowerCase());

/** EIP-1474 and geth: the call ran and reverted. */
const REVERTED = 3;

export function refusalOf({ code, message }: { code: number; message: string }): Refusal {
  if (code === REVERTED) return 'reverted';
  const said = message.slice(0, 1_000).toLowerCase();
  const word = WORDS.find(([words]) => words.test(said))?.[1];
  return word ?? (NOT_NOW.includes(code) ? 'not_now' : 'refused');
}
