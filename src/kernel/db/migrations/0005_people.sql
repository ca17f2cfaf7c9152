create table users (
  id               id primary key,
  tenant_id        id not null references tenants,
  external_id      text collate "C",
  status           text not null default 'active' check (status in ('active', 'blocked')),
  status_reason    text,
  data_key         bytea,  -- the user's own key, sealed; null once the person was erased
  data_key_at      timestamptz(3) not null default product_now(now()),  -- when that key was made
  meta_sealed      bytea,  -- JSON as given, sealed under the user's key
  kyc_status       text not null default 'not_started',
  created_at       timestamptz(3) not null default product_now(now()),
  updated_at       timestamptz(3) not null default product_now(now()),
  -- The operator's block of a user, beside the client's own (`status`): the user is blocked while either stands.
  operator_blocked boolean not null default false
);
create index users_of_tenant on users (tenant_id, id desc);
-- Finds users whose key is being renewed: a second key, of 32 bytes, is sealed behind the new one.
create index users_with_earlier_key on users (id) where octet_length(data_key) > 64;
create unique index users_external_id on users (tenant_id, external_id) where external_id is not null;
-- Operators search in all tenants.
create index users_by_external_id on users (external_id, id) where external_id is not null;
-- Serves lists with a period (from, to), of which few rows may be in the period.
create index users_of_tenant_by_time on users (tenant_id, created_at);

-- One a submission. The newest one's status is the user's.
create table kyc_reviews (
  user_id         id not null references users,
  submission      int not null,
  tenant_id       id not null references tenants,
  status          text not null check (status in ('in_review', 'completed', 'rejected', 'resubmission_required')),
  reason          text,
  idempotency_key text,  -- of the request that submitted; it goes with the webhooks of the decision
  watched_until   timestamptz(3) not null,  -- its workflow looks again by then
  submitted_at    timestamptz(3) not null default product_now(),
  decided_at      timestamptz(3),
  primary key (user_id, submission)
);
create index kyc_reviews_open on kyc_reviews (watched_until) where status = 'in_review';

-- The version of a user's KYC that each completed review has approved. Rows are only added.
create table kyc_approvals (
  id          bigint generated always as identity primary key,
  user_id     id not null references users,
  submission  int not null,
  meta_sealed bytea not null,  -- as the user's was
  documents   jsonb not null,  -- [{ slot, documentId }]
  approved_at timestamptz(3) not null default product_now()
);
create index kyc_approvals_of_user on kyc_approvals (user_id, id);

-- Decisions of a person or of the sandbox. Rows are only added.
create table kyc_decisions (
  id          bigint generated always as identity primary key,
  user_id     id not null references users,
  submission  int,  -- the review that it ended or corrected …
  document_id id,  -- … or the document that it judged
  decision    text not null,
  reason      text,
  decided_by  text not null,
  at          timestamptz(3) not null default product_now(),
  check ((submission is null) <> (document_id is null))
);
create index kyc_decisions_on_user on kyc_decisions (user_id, id);

-- A document of a user's KYC; its content is in the documents store, sealed.
create table kyc_documents (
  id           id primary key,
  tenant_id    id not null references tenants,
  user_id      id not null references users,
  slot         text not null check (slot in ('idFrontImg', 'idBackImg', 'idHoldImg')),
  content_type text not null check (content_type in ('image/jpeg', 'image/png', 'application/pdf')),
  size         int not null check (size > 0),
  sha256       text not null,  -- of the content, lower-case hexadecimal
  status       text not null check (status in ('uploaded', 'approved', 'rejected')),
  note         text,  -- shown to the client
  submission   int,  -- the first review that had it
  created_at   timestamptz(3) not null default product_now(now()),
  updated_at   timestamptz(3) not null default product_now(now())
);
create index kyc_documents_of_user on kyc_documents (user_id, id desc);

-- How many files a tenant stores, and their bytes: documents of users and files of cardholders. Triggers count, so that an upload
-- reads no other row, and waits for those of its tenant that are not committed.
create table stored_files (
  tenant_id id primary key references tenants,
  count     int not null,
  bytes     bigint not null
);
create function count_stored_files() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into stored_files as s (tenant_id, count, bytes) values (new.tenant_id, 1, new.size)
      on conflict (tenant_id) do update set count = s.count + 1, bytes = s.bytes + excluded.bytes;
  else
    update stored_files set count = count - 1, bytes = bytes - old.size where tenant_id = old.tenant_id;
  end if;
  return null;
end $$;
create trigger kyc_documents_counted after insert or delete on kyc_documents
  for each row execute function count_stored_files();

-- The operator's notes, shown to operators alone.
create table kyc_notes (
  user_id    id primary key references users,
  notes      bytea not null,  -- sealed under the user's key
  updated_at timestamptz(3) not null default product_now()
);

-- Content to delete from the documents store: of deleted documents at once, of unused uploads after a while.
create table document_removals (
  document_id id primary key,
  tenant_id   id not null,
  due_at      timestamptz(3) not null,
  removing    boolean not null default false  -- its content may be deleted already
);
create index document_removals_due on document_removals (due_at);
