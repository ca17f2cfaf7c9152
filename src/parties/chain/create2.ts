import { getCreate2Address, type Hex, zeroHash } from 'viem';

/**
 * Makes contracts at addresses that follow from their bytecode alone (EIP-1014). Of Arachnid's deterministic-deployment-proxy, which
 * stands at this address on most chains, and on anvil's from its first block.
 */
export const CREATE2_FACTORY: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Where the contract of that bytecode, with the arguments of its constructor, stands, or would. */
export const create2Address = (bytecode: Hex): Hex =>
  getCreate2Address({ from: CREATE2_FACTORY, salt: zeroHash, bytecode });

/** What puts it there; anybody may send it, once. */
export const create2Deployment = (bytecode: Hex): { to: Hex; data: Hex } => ({
  to: CREATE2_FACTORY,
  data: `${zeroHash}${bytecode.slice(2)}`,
});
