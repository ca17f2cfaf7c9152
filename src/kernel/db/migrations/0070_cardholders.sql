-- A B2C cardholder's way to its decision.
alter table cardholders add column documents jsonb not null default '[]';  -- [{ slot, documentId }], of the newest submission
-- Of the request that set its process going; it goes with the webhooks that the process causes.
alter table cardholders add column idempotency_key text;
-- The present submission may have reached the provider: only its own answer ends it.
alter table cardholders add column submission_sent boolean not null default false;
-- When its workflow will have looked again.
alter table cardholders add column watched_until timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp());
create index cardholders_open on cardholders (watched_until) where status in ('pending_review', 'wait_audit');

-- What a person (or the sandbox) decided: who, on what, when and why. Rows are only added.
create table cardholder_decisions (
  id            bigint generated always as identity primary key,
  cardholder_id id not null references cardholders,
  decision      text not null check (decision in ('approved', 'rejected')),
  reason        text,
  decided_by    text not null,
  at            timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index cardholder_decisions_on on cardholder_decisions (cardholder_id, id);

-- The sandbox's reviewer of cardholders: an outside party that happens to live here. Nothing else reads this table.
create table sandbox_reviews (
  key            text collate "C" primary key,  -- the idempotency key of the application
  scenario       text,                           -- how the reviewer behaves; nothing of the person is kept
  first_asked_at timestamptz(3) not null,
  calls          int not null default 0,         -- applications that came through to the reviewer
  taken_at       timestamptz(3)
);
