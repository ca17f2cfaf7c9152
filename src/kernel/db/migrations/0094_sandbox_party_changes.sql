-- What happens at the sandbox's parties that move money, and what is to happen: each row is written in the transaction in
-- which it is decided, so no process need live to see it. The parties list what has happened, and call back, from here.
create table sandbox_party_changes (
  number          bigint generated always as identity primary key,
  party           text collate "C" not null,
  ref             text collate "C" not null,     -- what the party is asked for: a session, an order's key, a credit
  at              timestamptz(3) not null,       -- when it happens
  callback_url    text,                          -- absent: it is listed, and nobody is called
  repeats         boolean not null default false, -- each callback is sent twice, with a forged one beside it
  next_attempt_at timestamptz(3),                -- absent: told, given up, or nobody is called
  attempts        int not null default 0,
  told_at         timestamptz(3),
  check (callback_url is not null or next_attempt_at is null)
);
create index sandbox_party_changes_in_order on sandbox_party_changes (party, at, number);
create index sandbox_party_changes_of on sandbox_party_changes (party, ref, at, number);
create index sandbox_party_changes_due on sandbox_party_changes (next_attempt_at) where next_attempt_at is not null;

-- Payments of a session, each with its own fate; what is to be paid later stands here with its time. It takes the place of
-- the session's paid_amount and settles_at, and of its status `paid`.
create table sandbox_checkout_payments (
  id         text collate "C" primary key,
  session_id text collate "C" not null references sandbox_checkout_sessions,
  amount     numeric not null check (amount > 0),
  paid_at    timestamptz(3) not null,
  settles_at timestamptz(3),                     -- absent while nobody has said so
  failed_at  timestamptz(3),                     -- taken back by the payer's bank before it was settled
  risk       text not null check (risk in ('normal', 'review'))
);
create index sandbox_checkout_payments_of on sandbox_checkout_payments (session_id, id);
insert into sandbox_checkout_payments (id, session_id, amount, paid_at, settles_at, risk)
select id || '-payment', id, paid_amount, first_asked_at, settles_at, risk
  from sandbox_checkout_sessions where status = 'paid';
update sandbox_checkout_sessions set status = 'open', paid_amount = null, settles_at = null where status = 'paid';

alter table sandbox_checkout_refunds add column undone_at timestamptz(3);  -- it succeeded, and has failed after all
alter table sandbox_checkout_disputes add column turned_at timestamptz(3); -- the outcome is the other one from then on

-- What goes back of a payment that the bank has received: taken by the payer's bank, or as we ordered.
create table sandbox_bank_returns (
  id        text collate "C" primary key,
  credit_id text collate "C" not null references sandbox_bank_credits (id),
  kind      text not null check (kind in ('recall', 'return')),
  key       text collate "C" unique,             -- the idempotency key that a return was ordered under
  amount    numeric not null check (amount > 0),
  at        timestamptz(3) not null,
  ends_at   timestamptz(3) not null,
  outcome   text not null check (outcome in ('succeeded', 'failed')),
  undone_at timestamptz(3)                       -- it succeeded, and has failed after all
);
create index sandbox_bank_returns_of on sandbox_bank_returns (credit_id, at);
alter table sandbox_bank_credits add column callback_url text; -- absent: nobody is told of it

-- What was under way when this release came is listed from now on; it is found by asking, as after any lost callback.
insert into sandbox_party_changes (party, ref, at)
select 'checkout', id, first_asked_at from sandbox_checkout_sessions where calls > 0
union all select 'payouts', key, accepted_at from sandbox_payouts where accepted_at is not null
union all select 'external-cards', key, accepted_at from sandbox_external_cards where accepted_at is not null
union all select 'bank', id, received_at from sandbox_bank_credits;
