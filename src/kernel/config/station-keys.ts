import { getAddress, isAddress } from 'viem';

/** The holder of a station's key: AWS KMS, or a Web3Signer. */
export type KeyProvider = 'kms' | 'web3signer';

/** A key of a station as STATION_KEYS names it. One key is one address. */
export interface StationKeySetting {
  /** Checksummed. The key must give this address, else it signs nothing. */
  address: string;
  provider: KeyProvider;
  /** ARN, id or alias of a key of AWS KMS; or the base URL of a Web3Signer, without a trailing slash. */
  place: string;
}

export interface ReadStationKeys {
  /** Undefined when one is wrong. */
  keys: readonly StationKeySetting[] | undefined;
  /** Sentences without a subject, and without a value. */
  wrong: string[];
}

const ENTRY = /^(0x[0-9a-fA-F]{40})=(kms|web3signer):(.+)$/;

/** Reads a list of `address=kms:<key>` and `address=web3signer:<url>`, separated by commas or white space. */
export function readStationKeys(text: string): ReadStationKeys {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const keys = entries.flatMap((entry) => keyOf(entry) ?? []);
  const addresses = keys.map(({ address }) => address);
  const wrong = [
    ...(entries.length === 0 || keys.length < entries.length
      ? [
          'must be a list of address=kms:key, a key of AWS KMS, or of address=web3signer:url; a mixed-case address needs its checksum',
        ]
      : []),
    ...(new Set(addresses).size < addresses.length ? ['must not name an address twice'] : []),
  ];
  return { keys: wrong.length === 0 ? keys : undefined, wrong };
}

function keyOf(entry: string): StationKeySetting | undefined {
  const [, address = '', provider, place = ''] = ENTRY.exec(entry) ?? [];
  if (!isAddress(address)) return undefined;
  if (provider === 'kms') return { address: getAddress(address), provider, place };
  if (!/^https?:$/.test(URL.parse(place)?.protocol ?? '')) return undefined;
  return { address: getAddress(address), provider: 'web3signer', place: place.replace(/\/+$/, '') };
}
