/**
 * Who bears witness to what happens on the chains of a kind, and nobody else decides it: `nodes` are asked; `people` look at the
 * chain themselves, and what they say is taken.
 */
const WITNESSES = { evm: 'nodes', tron: 'people' } as const;

export type ChainKind = keyof typeof WITNESSES;
/** The kinds that have nodes to be asked. */
export type AskedKind = {
  [Kind in ChainKind]: (typeof WITNESSES)[Kind] extends 'nodes' ? Kind : never;
}[ChainKind];

/** Whether nodes of that chain are asked; else people execute there, and tell. */
export const isAsked = <Chain extends { kind: ChainKind }>(
  chain: Chain,
): chain is Chain & { kind: AskedKind } => WITNESSES[chain.kind] === 'nodes';
