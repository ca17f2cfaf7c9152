import type { MasterKeySetting, MasterKeySettings } from '../../config/master-keys';
import { createSealer } from '../sealer';
import { kmsMasterKey } from './kms';
import type { KeyContext, MasterKey, MasterKeys } from './port';

/** The master keys of the settings, in their order. Calls nobody yet. */
export function createMasterKeys([first, ...others]: MasterKeySettings): MasterKeys {
  return [masterKey(first), ...others.map(masterKey)];
}

const masterKey = (setting: MasterKeySetting): MasterKey =>
  setting.kind === 'kms'
    ? kmsMasterKey(setting.id, setting.keyName)
    : givenMasterKey(setting.id, setting.key);

/** A key that the process holds itself. */
function givenMasterKey(id: string, key: Buffer): MasterKey {
  const sealer = createSealer([key]);
  return {
    id,
    seal: async (plaintext, context) => sealer.seal(plaintext, textOf(context)),
    open: async (sealed, context) => sealer.open(sealed, textOf(context)),
  };
}

const textOf = ({ purpose, keyId }: KeyContext): string => `installation-key/${purpose}/${keyId}`;
