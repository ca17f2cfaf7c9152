import { randomBytes } from 'node:crypto';
import type { Keyring } from './keyring';
import { KEY_BYTES } from './purposes';
import { createSealer, type Sealer } from './sealer';

/**
 * A person's own key, sealed by the installation's key of data keys. The person's data is sealed under it. So all
 * of that is gone when the key is destroyed, also from later backups.
 * @param owner id of the person, to whom the sealed key is bound
 */
export function newDataKey(keyring: Keyring, owner: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  const sealed = keyring.sealer('data-keys').seal(key, owner);
  key.fill(0);
  return sealed;
}

/** Seals and opens under a person's own key. @throws Error when the key is of another person */
export function dataSealer(keyring: Keyring, owner: string, dataKey: Buffer): Sealer {
  const key = keyring.sealer('data-keys').open(dataKey, owner);
  const sealer = createSealer(key);
  key.fill(0); // the sealer has a copy
  return sealer;
}
