import type { Keyring } from '../../kernel/security/keyring';

/** The key of its own that the addresses of nodes are sealed with: they may hold credentials. */
const PURPOSE = 'network-rpc-urls';

export const sealUrls = (keyring: Keyring, chain: string, urls: readonly string[]): Buffer =>
  keyring.sealer(PURPOSE).seal(Buffer.from(JSON.stringify(urls)), chain);

export const openUrls = (keyring: Keyring, chain: string, sealed: Buffer): string[] =>
  JSON.parse(keyring.sealer(PURPOSE).open(sealed, chain).toString('utf8')) as string[];
