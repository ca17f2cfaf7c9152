export { deriveWallets } from './derive';
export { findWallet, findWallets, ownerAt, poolAddresses } from './store';
