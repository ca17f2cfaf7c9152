import type { HashingPurpose, KeyPurpose, SealingPurpose } from './purposes';

/**
 * Every column that holds values under the installation's keys, stated once. A renewal seals them anew from here. A test
 * compares this file with the schema, so that no new column can be forgotten.
 */

/** A place of values that are sealed under the key of a purpose. */
export interface SealedPlace {
  table: string;
  /** The primary key, whose index serves the portions. */
  key: string;
  column: string;
  /** Within a JSONB column: the path to the value in base64. Absent: the column is the value. */
  path?: readonly string[];
  /** SQL of the part of the context that differs by row. Default: the primary key. */
  boundTo?: string;
  /** The context of a value. Default: the row's part itself. */
  context?: (bound: string) => string;
  /** SQL of the rows whose values are ever opened again. Default: all rows. */
  where?: string;
  /** Whether the value stays until it is used, because the request that it belongs to is bound by a keyed hash. */
  isBound?: true;
}

/** A place of keyed hashes. Those of a purpose that is rehashed begin with the mark of their key. */
export interface HashedPlace extends Pick<SealedPlace, 'table' | 'key' | 'column' | 'where'> {
  purpose: HashingPurpose;
  /** SQL of the hash. Default: the column. */
  bytes?: string;
  /** The place of the secret itself, sealed. Absent: its owner alone has it. */
  source?: { column: string; purpose: SealingPurpose; boundTo: string; context: (bound: string) => string };
}

/** How the key of a purpose is renewed. */
export type Renewal =
  /** Each value is sealed anew, and then the earlier versions are destroyed. */
  | { way: 'resealed'; purpose: SealingPurpose; places: readonly SealedPlace[] }
  /** Stored hashes are made anew where the secret can be read, else at its next use. Then the earlier versions are destroyed. */
  | { way: 'rehashed'; places: readonly HashedPlace[] }
  /** Values end by themselves. The earlier versions are destroyed so many hours after the new one is in force. */
  | {
      way: 'lapses';
      hours: number;
      because: string;
      /** SQL of the number of values from before a time, `$1`. Absent: the database does not keep them. */
      left?: string;
    }
  /** New values are under the new version. The earlier ones stay for the values that exist. */
  | { way: 'kept'; because: string }
  /** The key cannot be renewed. */
  | { way: 'fixed'; because: string };

/** The context of a client's secret. */
export const credentialContext = (clientId: string): string => `credential/${clientId}`;
/** The context of a payment page's address. */
export const redirectContext = (depositId: string): string => `deposit-redirect/${depositId}`;
/** The context of a mail of the sandbox. */
export const mailContext = (id: string): string => `mail/${id}`;

/** A column by its name `table.column`, of a table whose primary key is `id`. */
function columnAt(name: string): Pick<SealedPlace, 'table' | 'key' | 'column'> {
  const [table = '', column = ''] = name.split('.');
  return { table, column, key: 'id' };
}

const place = (name: string, more: Partial<SealedPlace> = {}): SealedPlace => ({
  ...columnAt(name),
  ...more,
});

/** Secrets of stored decisions that wait for another operator. The secrets of decided ones are never opened. */
const waiting = (kind: string, secret: string, more: Partial<SealedPlace>): SealedPlace =>
  place('approvals.terms', {
    isBound: true,
    path: ['secret', secret],
    where: `status = 'pending' and kind like '${kind}.%'`,
    ...more,
  });

export const SEALING_RENEWALS: Readonly<Record<SealingPurpose, Renewal>> = {
  answers: resealed('answers', place('personal_answers.sealed', { key: 'name', where: 'user_id is null' })),
  'bank-files': resealed(
    'bank-files',
    place('bank_files.content', { boundTo: 'message_id', where: 'content is not null' }),
    place('bank_orders.payee', { key: 'key', where: 'payee is not null' }),
    place('bank_orders.fingerprint', { key: 'key', context: (key) => `fingerprint ${key}` }),
    place('bank_credits.payer', { where: 'payer is not null' }),
  ),
  callbacks: resealed('callbacks', place('provider_callbacks.body')),
  'checkout-pages': resealed(
    'checkout-pages',
    place('deposits.redirect_sealed', { context: redirectContext }),
  ),
  'client-secrets': resealed(
    'client-secrets',
    place('credentials.secret_sealed', { boundTo: 'tenant_id', context: credentialContext }),
    waiting('client', 'sealed', {
      boundTo: `terms #>> '{secret,clientId}'`,
      context: credentialContext,
    }),
  ),
  'data-keys': resealed('data-keys', place('users.data_key')),
  destinations: resealed(
    'destinations',
    place('payouts.destination', { where: 'user_id is null' }),
    place('withdrawal_destinations.destination'),
    place('iban_payouts.destination'),
    place('quotes.terms', {
      path: ['destination'],
      boundTo: 'account_id',
      where: `kind = 'iban_payout' and used_by is null`,
    }),
  ),
  documents: {
    way: 'lapses',
    hours: 31 * 24,
    because:
      'Files of cardholders are deleted after thirty days. Documents of users are under their own keys.',
    left: 'select count(*)::int as left from cardholder_files where created_at < $1',
  },
  'external-cards': resealed(
    'external-cards',
    place('external_card_transactions.token', { where: 'user_id is null' }),
    place('external_card_transactions.action_url'),
  ),
  'iban-remitters': resealed('iban-remitters', place('iban_credit_remitters.remitter')),
  'network-rpc-urls': resealed(
    'network-rpc-urls',
    place('networks.rpc_urls', { key: 'chain' }),
    waiting('network', 'rpcUrls', { boundTo: 'subject' }),
  ),
  'operator-mail': resealed('operator-mail', place('operator_mails.address', { key: 'operator_id' })),
  'operator-totp': resealed(
    'operator-totp',
    place('operators.totp_secret'),
    place('operator_links.totp_secret', { key: 'token_hash', boundTo: 'operator_id' }),
  ),
  'sandbox-cards': {
    way: 'fixed',
    because: 'The sandbox keeps invented card numbers under it.',
  },
  'sandbox-mails': resealed('sandbox-mails', place('sandbox_mails.sealed', { context: mailContext })),
  'temporal-payload': {
    way: 'kept',
    because: "Histories of Temporal are under it until the namespace's retention ends.",
  },
  'wallet-public-keys': resealed('wallet-public-keys', place('wallet_seeds.public_keys')),
};

const hashed = (name: string, purpose: HashingPurpose, more: Partial<HashedPlace> = {}): HashedPlace => ({
  ...columnAt(name),
  purpose,
  ...more,
});

/** Columns of keyed hashes. */
export const HASHED: readonly HashedPlace[] = [
  hashed('credentials.secret_hash', 'credential-hashes', {
    source: {
      column: 'secret_sealed',
      purpose: 'client-secrets',
      boundTo: 'tenant_id',
      context: credentialContext,
    },
  }),
  hashed('operators.secret_hash', 'credential-hashes', { where: 'disabled_at is null' }),
  hashed('desk_sessions.token_hash', 'credential-hashes', {
    where: `ended_at is null and created_at > clock_timestamp() - interval '12 hours'`,
  }),
  hashed('operator_links.token_hash', 'credential-hashes', {
    key: 'token_hash',
    where: 'used_at is null and expires_at > clock_timestamp()',
  }),
  hashed('approvals.terms', 'credential-hashes', {
    bytes: `decode(translate(terms #>> '{secret,tokenHash}', '-_', '+/'), 'base64')`,
    where: `status = 'pending'`,
  }),
  hashed('approvals.seal', 'approvals'),
  hashed('wallets.attestation', 'wallet-addresses'),
  hashed('cardholders.email_hash', 'search'),
  hashed('payout_destinations.fingerprint', 'search'),
  hashed('withdrawal_destinations.account_hash', 'search'),
];

const SEARCH =
  'Destinations of payouts are known by their hashes alone, so they would rest once more, and a refused one would be forgotten.';

export const HASHING_RENEWALS: Readonly<Record<HashingPurpose, Renewal>> = {
  approvals: {
    way: 'kept',
    because: 'Requests for approval stay, and each is bound under the version of its time.',
  },
  'challenge-codes': { way: 'lapses', hours: 1, because: 'A code is valid for five minutes.' },
  'credential-hashes': {
    way: 'rehashed',
    places: HASHED.filter(({ purpose }) => purpose === 'credential-hashes'),
  },
  'desk-csrf': { way: 'lapses', hours: 24, because: 'A session ends after twelve hours.' },
  'event-ids': { way: 'fixed', because: 'Clients keep the ids of events.' },
  'payer-links': { way: 'kept', because: 'Links of payers are shown as long as their records.' },
  'sandbox-mailbox': { way: 'fixed', because: 'Testers keep the addresses of mailboxes.' },
  'sandbox-parties': { way: 'fixed', because: 'Installations are given the secrets of these parties.' },
  search: { way: 'fixed', because: SEARCH },
  'wallet-addresses': { way: 'kept', because: 'Each wallet is attested under the version of its time.' },
};

/** How the key of a purpose is renewed. */
export const renewalOf = (purpose: KeyPurpose): Renewal =>
  ({ ...SEALING_RENEWALS, ...HASHING_RENEWALS })[purpose];

function resealed(purpose: SealingPurpose, ...places: [SealedPlace, ...SealedPlace[]]): Renewal {
  return { way: 'resealed', purpose, places };
}

/** The context of a user's `meta`, under the user's own key. */
export const META_CONTEXT = 'meta';
/** The context of a cardholder's e-mail, under the user's own key. */
export const EMAIL_CONTEXT = 'cardholder-email';

/** The context of operators' notes on a user's KYC. */
export const NOTES_CONTEXT = 'notes';

/** A column under the own key of the user that another column names. */
export interface UserSealedPlace extends Pick<SealedPlace, 'table' | 'key' | 'column'> {
  /** The column of the user's id. */
  user: string;
  /** Default: the value of the primary key. */
  context?: string;
}

const ofUser = (name: string, more: Partial<UserSealedPlace> = {}): UserSealedPlace => ({
  ...columnAt(name),
  user: 'user_id',
  ...more,
});

/** Columns under a user's own key. `people/renew-keys.ts` seals them anew. */
export const USER_SEALED: readonly UserSealedPlace[] = [
  ofUser('users.meta_sealed', { user: 'id', context: META_CONTEXT }),
  ofUser('kyc_approvals.meta_sealed', { context: META_CONTEXT }),
  ofUser('kyc_notes.notes', { key: 'user_id', context: NOTES_CONTEXT }),
  ofUser('cardholders.email_sealed', { context: EMAIL_CONTEXT }),
  ofUser('payouts.destination'),
  ofUser('external_card_transactions.token'),
  ofUser('personal_answers.sealed', { key: 'name' }),
];

/** Columns of bytes that no key of the installation has made, with what made them. */
export const KEYLESS: Readonly<Record<string, string>> = {
  'audit_chain.hash': 'SHA-256',
  'audit_chain.previous': 'SHA-256',
  'audit_heads.hash': 'SHA-256',
  'deposits.token_hash': 'SHA-256 of a token of 256 bits',
  'external_card_transactions.redirect_hash': 'SHA-256 of a token of 256 bits',
  'forged_callbacks.last_hash': 'SHA-256',
  'idempotency_keys.fingerprint': 'SHA-256',
  'installation_keys.sealed': 'a master key',
  'ledger_checkpoints.file_hash': 'SHA-256',
  'ledger_checkpoints.kept_hash': 'SHA-256',
  'processor_messages.fingerprint': 'SHA-256',
  'wallet_seeds.sealed': 'a signer key',
};
