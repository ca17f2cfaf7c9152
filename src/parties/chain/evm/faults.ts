/**
 * What one address of a chain did instead of answering. These stay within the adapter, and hold nothing that the node said: its
 * words may repeat the address it was asked at, which may be a credential.
 */

/** It does not answer, or not what can be read. */
export class NodeAway extends Error {
  override name = 'NodeAway';
  /** @param wasSent whether it may have had the request */
  constructor(readonly wasSent: boolean) {
    super('a node of the chain gives no answer that can be read');
  }
}

/** Its answer is longer than is read of one. */
export class TooLong extends NodeAway {
  override name = 'TooLong';
  constructor() {
    super(true);
  }
}

/** It says that its chain is another one. */
export class OtherChain extends NodeAway {
  override name = 'OtherChain';
  constructor() {
    super(false);
  }
}

/** It answers that it does not do it. */
export class NodeRefused extends Error {
  override name = 'NodeRefused';
  constructor(readonly why: Refusal) {
    super('a node of the chain refuses');
  }
}

/** The chain was reorganised between two of its answers: they are of two chains. */
export class Unsettled extends Error {
  override name = 'Unsettled';
  constructor() {
    super('the chain was reorganised while it was read');
  }
}

/** `not_now`: it may do it another time, or another node may. */
export type Refusal =
  | 'already_known'
  | 'nonce_too_low'
  | 'insufficient_funds'
  | 'underpriced'
  | 'reverted'
  | 'not_now'
  | 'refused';

/**
 * JSON-RPC has one code for most of it (-32000), so nodes are known by their words: geth, Nethermind, Besu, Erigon, reth, anvil.
 * viem's own reading takes `already known` for a nonce that is too low.
 */
const WORDS: readonly (readonly [RegExp, Refusal])[] = [
  [/already.?(known|imported|exists)|\bknown transaction/, 'already_known'],
  [/revert|invalid.{0,4}opcode|out of gas|gas required exceeds/, 'reverted'],
  [/nonce.{0,6}too.?low|old.?nonce|nonce.*already/, 'nonce_too_low'],
  [/insufficient.?(funds|balance)/, 'insufficient_funds'],
  [/underpriced|fee.{0,8}too.?low|less than block base fee/, 'underpriced'],
  // An earlier one of its sender is on its way.
  [/nonce.{0,12}(too.?(high|far|distant)|gap)/, 'not_now'],
  [/(rate|request|capacity).{0,12}limit|(?<!gas )limit exceeded|too many|pool.{0,6}full/, 'not_now'],
  [/time.?out|timed out|busy|try again|overload|unavailable/, 'not_now'],
];

/** EIP-1474: parse error, internal error, no such method, limit exceeded; nothing that is said of what was asked for. */
const NOT_NOW = [-32700, -32603, -32601, -32005];

/** EIP-1474 and geth: the call ran and was reverted. */
const REVERTED = 3;

export function refusalOf({ code, message }: { code: number; message: string }): Refusal {
  if (code === REVERTED) return 'reverted';
  const said = message.slice(0, 1_000).toLowerCase();
  const word = WORDS.find(([words]) => words.test(said))?.[1];
  return word ?? (NOT_NOW.includes(code) ? 'not_now' : 'refused');
}
