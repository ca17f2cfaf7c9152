import { randomBytes } from 'node:crypto';
import type { Keyring } from './keyring';
import { KEY_BYTES } from './purposes';
import { createSealer, type Sealer } from './sealer';

/**
 * A person's own key, sealed by the installation's key of data keys. The person's data is sealed under it. So all
 * of that is gone when the key is destroyed, also from later backups. During a renewal the sealed value holds the new
 * key and the earlier one behind it.
 * @param owner id of the person, to whom the sealed key is bound
 */
export function newDataKey(keyring: Keyring, owner: string): Buffer {
  return sealedKeys(keyring, owner, randomBytes(KEY_BYTES));
}

/** Seals and opens under a person's own key. @throws Error when the key is of another person */
export function dataSealer(keyring: Keyring, owner: string, dataKey: Buffer): Sealer {
  const keys = keyring.sealer('data-keys').open(dataKey, owner);
  const earlier = keys.subarray(KEY_BYTES);
  const sealer = createSealer([keys.subarray(0, KEY_BYTES), ...(earlier.length > 0 ? [earlier] : [])]);
  keys.fill(0); // the sealer has a copy
  return sealer;
}

/** A new key of a person, with the present one behind it, which only opens. */
export function dataKeyWithNew(keyring: Keyring, owner: string, dataKey: Buffer): Buffer {
  const present = keyring.sealer('data-keys').open(dataKey, owner).subarray(0, KEY_BYTES);
  return sealedKeys(keyring, owner, Buffer.concat([randomBytes(KEY_BYTES), present]));
}

/** The present key of a person, without the earlier one. */
export function dataKeyAlone(keyring: Keyring, owner: string, dataKey: Buffer): Buffer {
  return sealedKeys(keyring, owner, keyring.sealer('data-keys').open(dataKey, owner).subarray(0, KEY_BYTES));
}

function sealedKeys(keyring: Keyring, owner: string, keys: Buffer): Buffer {
  const sealed = keyring.sealer('data-keys').seal(keys, owner);
  keys.fill(0);
  return sealed;
}
