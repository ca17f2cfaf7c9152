export { deriveWallets } from './derive';
export { findWallet, findWallets, hasHeld, ownerAt, poolAddresses } from './store';
