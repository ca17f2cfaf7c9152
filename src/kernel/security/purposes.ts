/**
 * The purposes of the installation's keys. Each key is random, and sealed by a master key in the database. Values that
 * are sealed, hashed or linked under these keys therefore outlive the master keys.
 */
const SEALING = [
  'answers',
  'bank-files',
  'callbacks',
  'checkout-pages',
  'client-secrets',
  'data-keys',
  'destinations',
  'documents',
  'external-cards',
  'iban-remitters',
  'network-rpc-urls',
  'operator-mail',
  'operator-totp',
  'sandbox-cards',
  'sandbox-mails',
  'temporal-payload',
  'wallet-public-keys',
] as const;

const HASHING = [
  'approvals',
  'challenge-codes',
  'credential-hashes',
  'desk-csrf',
  'event-ids',
  'payer-links',
  'sandbox-mailbox',
  'sandbox-parties',
  'search',
  'wallet-addresses',
] as const;

/** Purpose of a key by which values are sealed and opened. */
export type SealingPurpose = (typeof SEALING)[number];

/** Purpose of a key by which hashes, tokens, ids and codes are derived. */
export type HashingPurpose = (typeof HASHING)[number];

export type KeyPurpose = SealingPurpose | HashingPurpose;

export const KEY_PURPOSES: readonly KeyPurpose[] = [...SEALING, ...HASHING].sort();

/** Length of every key, in bytes. */
export const KEY_BYTES = 32;
