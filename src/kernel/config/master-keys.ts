/** A master key as MASTER_KEYS names it: given, or held by AWS KMS. */
export type MasterKeySetting =
  | { kind: 'given'; id: string; key: Buffer }
  | { kind: 'kms'; id: string; keyName: string };

/** The first seals, all open. */
export type MasterKeySettings = readonly [MasterKeySetting, ...MasterKeySetting[]];

export interface ReadMasterKeys {
  /** Undefined when none is given, or one is wrong. */
  masterKeys: MasterKeySettings | undefined;
  /** Sentences without a subject, and without a value. */
  wrong: string[];
}

const KEY_BYTES = 32;
const ID = /^[\w.-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Reads a list of master keys, separated by commas or white space: `id:base64` or `kms:name`. */
export function readMasterKeys(text: string): ReadMasterKeys {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const settings = entries.flatMap((entry) => settingOf(entry) ?? []);
  const ids = settings.map(({ id }) => id);
  const wrong = [
    ...(entries.length === 0 || settings.length < entries.length
      ? ['must be a list of id:key, each key 32 bytes in base64, or of kms:key, the name of a key of AWS KMS']
      : []),
    ...(new Set(ids).size < ids.length ? ['must not name a master key twice'] : []),
  ];
  const [first, ...others] = settings;
  return { masterKeys: wrong.length === 0 && first ? [first, ...others] : undefined, wrong };
}

function settingOf(entry: string): MasterKeySetting | undefined {
  const [, id = '', value = ''] = /^([^:]+):(.+)$/.exec(entry) ?? [];
  if (id === 'kms') return { kind: 'kms', id: entry, keyName: value };
  const key = Buffer.from(value, 'base64');
  return ID.test(id) && BASE64.test(value) && key.length === KEY_BYTES
    ? { kind: 'given', id, key }
    : undefined;
}
