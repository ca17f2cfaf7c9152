import { conflict } from '../../kernel/errors';
import { dataSealer, newDataKey } from '../../kernel/security/data-keys';
import type { Keyring } from '../../kernel/security/keyring';
import { META_CONTEXT } from '../../kernel/security/sealed-columns';
import type { Sealer } from '../../kernel/security/sealer';
import type { UserMeta } from './meta';
import type { Person, User } from './record';

/** The keys that open a user's personal data. */
export interface Keys {
  keyring: Keyring;
}

/** The columns of a user who has a key of their own, or of an erased one. */
type Keyed = Pick<User, 'id' | 'dataKey'>;

/** The user with opened personal data, which is empty once the person was erased. */
export const personOf = (keys: Keys, user: User): Person => ({
  ...user,
  meta: user.metaSealed === null ? {} : openMeta(keys, user, user.metaSealed),
});

/** Opens a version of a user's `meta`. Empty once the person was erased. */
export function openMeta({ keyring }: Keys, { id, dataKey }: Keyed, sealed: Buffer): UserMeta {
  if (dataKey === null) return {};
  return JSON.parse(dataSealer(keyring, id, dataKey).open(sealed, META_CONTEXT).toString()) as UserMeta;
}

/** @throws Problem 409 `invalid_transition` once the person was erased */
export const sealMeta = (keys: Keys, user: Keyed, meta: UserMeta): Buffer =>
  userSealer(keys, user).seal(Buffer.from(JSON.stringify(meta)), META_CONTEXT);

/** Seals and opens under the user's own key. @throws Problem 409 `invalid_transition` once the person was erased */
export function userSealer({ keyring }: Keys, { id, dataKey }: Keyed): Sealer {
  if (dataKey === null) throw conflict('invalid_transition', 'The user was erased.');
  return dataSealer(keyring, id, dataKey);
}

/** The columns of a new user's personal data. */
export function sealedColumns(keys: Keys, id: string, meta: UserMeta) {
  const dataKey = newDataKey(keys.keyring, id);
  return { dataKey, metaSealed: sealMeta(keys, { id, dataKey }, meta) };
}
