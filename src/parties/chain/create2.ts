import { getCreate2Address, type Hex, zeroHash } from 'viem';

/**
 * Arachnid's deterministic-deployment-proxy, which makes contracts at addresses that follow from their bytecode
 * (EIP-1014). It has this address on most chains, and on anvil from the first block.
 */
export const CREATE2_FACTORY: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Address of the contract, deployed or not. @param bytecode with the arguments of the constructor */
export const create2Address = (bytecode: Hex): Hex =>
  getCreate2Address({ from: CREATE2_FACTORY, salt: zeroHash, bytecode });

/** The call that deploys the contract. Anybody may send it, and it succeeds once. */
export const create2Deployment = (bytecode: Hex): { to: Hex; data: Hex } => ({
  to: CREATE2_FACTORY,
  data: `${zeroHash}${bytecode.slice(2)}`,
});
