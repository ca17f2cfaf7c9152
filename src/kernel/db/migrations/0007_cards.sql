-- A BIN and the programme that runs on it: fees in the BIN's currency, percentages of the billing amount.
create table bins (
  bin                     text primary key,
  scheme                  text not null,
  currency                text not null,
  model                   text not null check (model in ('B2B', 'B2C')),
  status                  text not null default 'active' check (status in ('active', 'closed')),
  capacity_per_cardholder int not null default 10,
  fee_issue               numeric not null default 0,
  fee_topup               numeric not null default 0,
  fee_settle_fixed        numeric not null default 0,
  fee_settle_percent      numeric not null default 0,
  fee_decline             numeric not null default 0,
  markup_percent          numeric not null default 0,
  authorization_days      int not null default 7,
  max_authorization       numeric,  -- above: declined with limit_exceeded
  blocked_mccs            text[] not null default '{}',  -- declined with invalid_merchant
  demo                    boolean not null default false,
  created_at              timestamptz(3) not null default product_now(now()),
  updated_at              timestamptz(3) not null default product_now(now()),
  max_per_day             numeric,
  max_per_month           numeric,
  allowed_mccs            text[] not null default '{}',
  blocked_countries       text[] not null default '{}',
  challenge_ecommerce     boolean not null default false,  -- declined with authentication_required without a challenge
  challenge_above         numeric,
  home_countries          text[] not null default '{}'
);

create table tenant_bins (
  tenant_id id not null references tenants,
  bin       text not null references bins,
  primary key (tenant_id, bin)
);

create table user_bins (
  user_id    id not null references users,
  bin        text not null references bins,
  enabled    boolean not null,
  updated_at timestamptz(3) not null default product_now(),
  primary key (user_id, bin)
);

create table cardholders (
  id              id primary key,
  tenant_id       id not null references tenants,
  user_id         id references users,
  account_id      id not null references accounts,
  bin             text not null references bins,
  model           text not null check (model in ('B2B', 'B2C')),
  status          text not null,
  description     text,
  email_hash      bytea,  -- keyed, of the e-mail in lower case; null once the person was erased
  email_sealed    bytea,  -- sealed under the user's key
  submissions     int not null default 0,
  reviewed_at     timestamptz(3),
  created_at      timestamptz(3) not null default product_now(now()),
  updated_at      timestamptz(3) not null default product_now(now()),
  -- The name and the e-mail as the record shows them ("J*** D**"). The name itself is in the linked user's meta only.
  masked_name     text not null,
  masked_email    text not null,
  -- [{ slot, documentId }] of the newest submission of a B2C cardholder
  documents       jsonb not null default '[]',
  -- Of the request that started its process. Webhooks of the process carry it.
  idempotency_key text,
  -- The present submission may have reached the reviewer, so only the reviewer's answer ends it.
  submission_sent boolean not null default false,
  -- Its workflow looks again by then.
  watched_until   timestamptz(3) not null default product_now(now()),
  check (status in ('pending_review', 'wait_audit', 'pass_audit', 'reject', 'submission_failed', 'rejected_by_admin'))
);
create unique index cardholders_email_per_bin on cardholders (tenant_id, bin, email_hash);
-- Operators search in all tenants.
create index cardholders_by_email on cardholders (email_hash, id);
create unique index cardholders_one_per_user_and_bin on cardholders (user_id, bin);
-- Finds those that were not approved, whose names are removed after the retention of their tenant.
create index cardholders_rejected on cardholders (tenant_id, updated_at)
  where email_hash is not null and status in ('reject', 'rejected_by_admin', 'submission_failed');
create index cardholders_of_tenant on cardholders (tenant_id, id desc);
create index cardholders_open on cardholders (watched_until) where status in ('pending_review', 'wait_audit');
create index cardholders_of_tenant_by_time on cardholders (tenant_id, created_at);

-- A file that a tenant has uploaded and can name as a cardholder's photo.
create table cardholder_files (
  id           id primary key,
  tenant_id    id not null references tenants,
  content_type text not null check (content_type in ('image/jpeg', 'image/png', 'application/pdf')),
  size         int not null check (size > 0),
  sha256       text not null,
  created_at   timestamptz(3) not null default product_now()
);
-- Finds old files, which are deleted.
create index cardholder_files_by_age on cardholder_files (created_at);
create trigger cardholder_files_counted after insert or delete on cardholder_files
  for each row execute function count_stored_files();

-- Decisions of a person or of the sandbox. Rows are only added.
create table cardholder_decisions (
  id            bigint generated always as identity primary key,
  cardholder_id id not null references cardholders,
  decision      text not null check (decision in ('approved', 'rejected')),
  reason        text,
  decided_by    text not null,
  at            timestamptz(3) not null default product_now()
);
create index cardholder_decisions_on on cardholder_decisions (cardholder_id, id);

create table cards (
  id                  id primary key,
  tenant_id           id not null references tenants,
  user_id             id not null references users,
  account_id          id not null references accounts,  -- what funds it
  master_account_id   id not null references accounts,  -- where settle and decline fees fall
  cardholder_id       id not null references cardholders,
  bin                 text not null references bins,
  scheme              text not null,
  currency            text not null,
  label               text,
  status              text not null check (status in ('pending', 'active', 'frozen', 'closing', 'closed', 'failed')),
  freeze_reasons      text[] not null default '{}',
  -- a copy of its user's status, so that an authorization reads one row
  user_blocked        boolean not null default false,
  last4               text,
  expiry_month        smallint,
  expiry_year         smallint,
  processor_reference text,
  initial_amount      numeric not null default 0,
  issue_fee           numeric not null default 0,
  processor_closed_at timestamptz(3),  -- the provider has confirmed the closure
  failure             text,
  idempotency_key     text,
  created_at          timestamptz(3) not null default product_now(now()),
  updated_at          timestamptz(3) not null default product_now(now()),
  -- Limits apply and spending is counted. The flag is on the card, so an authorization without limits reads no more rows.
  limited             boolean not null default false,
  buffer_account_id   id,  -- null: it has never had a buffer
  -- The account for money of a closed card whose account is closed: a master account, or `suspense`. Null: its own account.
  returns_to          text,
  -- The client set the freeze reason `insufficient_funds`. It stays until the card is unfrozen or funded.
  insufficient_asked  boolean not null default false
);
-- Money of closed cards in suspense, because no account of their tenant was open for it. An operator lets it out.
create table card_suspense (
  card_id id primary key references cards,
  amount  numeric not null check (amount > 0),
  since   timestamptz(3) not null
);
create index cards_of_tenant on cards (tenant_id, id desc);
create index cards_of_user on cards (user_id, id desc);
create index cards_of_cardholder on cards (cardholder_id);
create index cards_of_account on cards (account_id, id desc);
create index cards_by_status on cards (tenant_id, status, id desc);
create index cards_unfinished on cards (updated_at)
  where status = 'pending' or (status in ('closing', 'closed') and processor_closed_at is null);
create index cards_of_tenant_by_time on cards (tenant_id, created_at);
-- Closing an account changes where the money of its cards goes.
create index cards_returning on cards (returns_to) where returns_to is not null;
-- Closing a master account asks for cards whose fees fall on it.
create index cards_open_of_master on cards (master_account_id) where status not in ('closed', 'failed');
-- Operators search a card by its last four digits.
create index cards_by_last4 on cards (last4, id) where last4 is not null;
-- Messages of card networks name a card by the processor's reference.
create index cards_by_processor_reference on cards (processor_reference) where processor_reference is not null;

-- Operations of v2 cards, carried out by a process (interface.md 4.1).
create table card_operations (
  id              id primary key,
  tenant_id       id not null,
  card_id         id not null,
  account_id      id not null,  -- what funds the card
  type            text not null check (type in ('issue', 'topup', 'withdraw', 'close')),
  status          text not null check (status in ('accepted', 'processing', 'completed', 'failed')),
  currency        text not null,
  principal       numeric not null,  -- what was asked for: the card's part, its reserve, and the fee
  buffer          numeric not null,
  fee             numeric not null,
  quote_id        id,
  result          json,  -- what was posted, when it is completed
  failure         json,
  idempotency_key text collate "C",
  caller_id       id not null,  -- the tenant of whoever called
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null
);
create unique index card_operations_idempotency_key on card_operations (caller_id, card_id, type, idempotency_key)
  where type <> 'issue';
-- Each issuance has a new card id, so its key does not include the card.
create unique index card_operations_issue_idempotency_key on card_operations (caller_id, idempotency_key)
  where type = 'issue';
create index card_operations_of_card on card_operations (card_id, id desc);
create unique index card_operations_one_closure on card_operations (card_id) where type = 'close';
create index card_operations_open on card_operations (updated_at) where status in ('accepted', 'processing');

-- A wallet's request for a card. One open request a card and wallet: asking again gives the same one.
create table card_tokenizations (
  id         id primary key,
  tenant_id  id not null references tenants,
  card_id    id not null references cards,
  wallet     text not null check (wallet in ('apple_pay', 'google_pay')),
  status     text not null check (status in ('pending', 'completed', 'failed')),
  failure    text,
  created_at timestamptz(3) not null default product_now(now()),
  updated_at timestamptz(3) not null default product_now(now())
);
create unique index card_tokenizations_open on card_tokenizations (card_id, wallet) where status = 'pending';
create index card_tokenizations_unfinished on card_tokenizations (updated_at) where status = 'pending';

-- Authorizations with what was settled, reversed and refunded, in their currency and in the card's (billing).
create table authorizations (
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  expires_at         timestamptz(3) not null,
  closed             boolean not null default false,  -- nothing is held any more
  id                 id primary key,  -- the id of its card transaction
  card_id            id not null,
  reference_id       id not null,  -- of the chain's first event
  currency           text not null,
  billing_currency   text not null,
  rate               numeric not null,  -- billing per unit, markup included; kept to the chain's end
  authorized         numeric not null,
  settled            numeric not null default 0,
  reversed           numeric not null default 0,
  refunded           numeric not null default 0,
  billing_authorized numeric not null,  -- what these became in the card's currency
  billing_settled    numeric not null default 0,
  billing_reversed   numeric not null default 0,
  billing_refunded   numeric not null default 0,
  fee_percent        numeric not null,  -- the programme's, as it was at the authorization
  fee_held           numeric not null default 0 check (fee_held >= 0),
  last_settle_id     id,  -- what a refund follows
  buffer_drawn       numeric not null default 0,  -- what forced events have drawn from the card's buffer, net
  check (settled + reversed <= authorized),
  check (billing_settled + billing_reversed <= billing_authorized)
);
create index authorizations_open on authorizations (expires_at) where not closed;

create table card_transactions (
  number           bigint not null,  -- the card's ledger entry of this event
  at               timestamptz(3) not null,
  forced           boolean not null default false,
  id               id primary key,
  card_id          id not null,
  tenant_id        id not null,
  type             text not null,
  amount           numeric not null,
  currency         text not null,
  billing_amount   numeric not null,
  billing_currency text not null,
  reference_id     id not null,
  linked_id        id,
  authorization_id id,  -- the chain it belongs to
  fee              numeric not null default 0,
  decline_reason   text,
  source           text,  -- buffer | expiry | closure … where the type alone does not tell
  merchant         jsonb,
  available        numeric not null,  -- the card's balances after it
  pending          numeric not null,
  spent            numeric not null
);
create index card_transactions_of_card on card_transactions (card_id, at, number);
-- The list of a tenant's transactions sorts those of one moment by card and number. They are few, and the index is half as long.
create index card_transactions_of_tenant on card_transactions (tenant_id, at);
create unique index card_transactions_by_reference on card_transactions (reference_id, type);
create index card_transactions_of_chain on card_transactions (authorization_id) where linked_id is not null;

-- Chains whose events were archived (src/cards/events/archive.ts). Late messages find the authorization by any of the chain's
-- references. The first of them puts the authorization back into its table, and that row counts from then on.
create table archived_authorizations (like authorizations, primary key (id));
create table archived_references (
  reference_id     id primary key,
  authorization_id id not null
);

-- References of a card network and the authorization that they belong to. Messages come in any order. Amounts that were cleared
-- or reversed before their authorization are kept, because the authorization must not hold that money again.
create table network_references (
  card_id             id not null,
  reference           text collate "C" not null,  -- the network's
  currency            text not null,  -- a message in another currency is of another chain
  authorization_id    id,  -- null: nothing of it was held yet
  settled_ahead       numeric not null default 0 check (settled_ahead >= 0),  -- cleared, and not authorized before
  settled_ahead_at    timestamptz(3),  -- when the last of these was sent
  reversed_ahead      numeric not null default 0 check (reversed_ahead >= 0),  -- reversed, and not held then
  reversed_ahead_at   timestamptz(3),
  final_at            timestamptz(3),  -- when the last final clearing was sent; an authorization sent before holds nothing
  -- released after a decline for lack of an answer; a reversal does not release it again
  released_unanswered numeric not null default 0 check (released_unanswered >= 0),
  primary key (card_id, reference, currency)
) with (fillfactor = 80);

-- Messages of the card processor whose answer is not the stored answer of their key. Either no answer was ready in time and a
-- decline was sent, or the card is unknown.
create table processor_messages (
  id          id primary key,
  message_id  text collate "C" not null unique,  -- the processor's
  reason      text not null check (reason in ('unanswered', 'unknown_card')),
  fingerprint bytea not null,
  message     jsonb not null,  -- as it came; names of cards and merchants, no numbers of cards
  status      smallint not null,  -- what was answered, for ever
  body        text not null,
  tenant_id   id,  -- where the card was known then
  received_at timestamptz(3) not null,  -- not after it came: by the clock of the database
  due_by      timestamptz(3) not null,
  settled_at  timestamptz(3),  -- what may have been held is released
  created_at  timestamptz(3) not null default product_now()
);
create index processor_messages_open on processor_messages (due_by) where settled_at is null;

-- Challenges of 3-D Secure. The one-time code is derived from the id and `code_number`, and stored nowhere.
create table card_challenges (
  id           id primary key,
  challenge_id text collate "C" not null unique,  -- the processor's
  tenant_id    id not null references tenants,
  card_id      id not null references cards,
  status       text not null check (status in ('sending', 'sent', 'approved', 'used', 'failed', 'expired', 'cancelled', 'unavailable')),
  amount       numeric not null check (amount >= 0),
  currency     text not null,
  merchant     jsonb not null,  -- id, name, country
  code_number  smallint not null default 1,
  wrong_codes  smallint not null default 0 check (wrong_codes <= 3),
  send_by      timestamptz(3) not null,
  code_ends_at timestamptz(3) not null,
  expires_at   timestamptz(3) not null,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null
);
-- Counts the challenges of a card on a day.
create index card_challenges_of_card on card_challenges (card_id, created_at);
-- Finds old challenges, which are deleted.
create index card_challenges_by_age on card_challenges (created_at);
-- Finds challenges whose mail was not sent in time.
create index card_challenges_sending on card_challenges (updated_at) where status = 'sending';

-- Limits and merchant rules of a card or of a user.
create table spending_limits (
  subject_id        id primary key,  -- a card, or a user for all their cards together
  version           int not null,  -- counts the changes; 0, without a row, before the first
  per_transaction   numeric check (per_transaction > 0),
  per_day           numeric check (per_day > 0),
  per_month         numeric check (per_month > 0),
  blocked_mccs      text[] not null default '{}',
  allowed_mccs      text[] not null default '{}',  -- none: every one is
  blocked_countries text[] not null default '{}',  -- ISO 3166-1 alpha-2
  challenge_ecommerce boolean not null default false,  -- declined with authentication_required without a challenge
  challenge_above   numeric check (challenge_above > 0),
  home_countries    text[] not null default '{}',  -- others ask for a challenge, where there are any
  updated_at        timestamptz(3) not null default product_now(now())
);

-- Authorized less released amounts by the UTC day of the authorization, of limited cards and users. A card's rows are under
-- the card's lock, a user's rows under the lock of the master account of the currency.
create table spending (
  subject_id id not null,
  currency   text not null,
  day        date not null,
  amount     numeric not null check (amount >= 0),
  primary key (subject_id, currency, day)
) with (fillfactor = 80);
-- Finds rows of months that no limit counts any more, which are deleted.
create index spending_by_day on spending (day);

-- Rows that the hot path writes as arrays. These types are apart from the tables, so a new column breaks no running process.
create type new_card_transaction as (
  id text, card_id text, tenant_id text, number bigint, at timestamptz, type text, amount numeric, currency text,
  billing_amount numeric, billing_currency text, reference_id text, linked_id text, authorization_id text, fee numeric,
  forced boolean, decline_reason text, source text, merchant jsonb, available numeric, pending numeric, spent numeric
);
create type new_authorization as (
  id text, card_id text, reference_id text, currency text, billing_currency text, rate numeric, authorized numeric,
  settled numeric, reversed numeric, refunded numeric, billing_authorized numeric, billing_settled numeric,
  billing_reversed numeric, billing_refunded numeric, fee_percent numeric, fee_held numeric, last_settle_id text,
  expires_at timestamptz, closed boolean, created_at timestamptz, updated_at timestamptz, buffer_drawn numeric
);
create type new_spending as (subject_id text, currency text, day date, amount numeric);
