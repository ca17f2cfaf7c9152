import type { StationKeySetting } from '../../../kernel/config/station-keys';
import type { HeldKey } from './key';
import { kmsHeldKey } from './kms';
import { web3SignerKey } from './web3signer';

/** The keys of STATION_KEYS, in their order. Calls nobody yet. */
export const createHeldKeys = (settings: readonly StationKeySetting[]): HeldKey[] =>
  settings.map(({ address, provider, place }) =>
    provider === 'kms' ? kmsHeldKey(address, place) : web3SignerKey(address, place),
  );
