-- Operators. Secrets of operators, tokens of sessions and tokens of links are stored as the SHA-256 of their keyed hash, behind the
-- mark of its key. The keyed hash is the proof that the functions at the end of this file demand. Nobody finds it without the secret
-- and the installation's key.
create function stored_proof(p_proof bytea) returns bytea language sql immutable strict parallel safe
  return substring(p_proof from 1 for 4) || sha256(p_proof);

create table operators (
  id              id primary key,
  name            text not null,  -- as decisions and the audit log show it; never used again
  secret_hash     bytea not null unique,  -- a stored proof, see below
  created_by      text not null,  -- installation, or the operator who made it
  created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
  disabled_at     timestamptz(3),
  disabled_by     text,
  disabled_reason text,
  proposed_by     text,  -- the first of two who admit
  admitted_by     text,  -- the second of two who admit, or the only one
  admitted_at     timestamptz(3),  -- the operator decides nothing before
  permissions     text[] not null default '{view,review,money,chain,security}',  -- src/process/desk/permissions.ts
  totp_secret     bytea,  -- of the code generator, sealed under the id. Null: signs in without codes, in the sandbox only
  totp_step       bigint,  -- of the last code that was used. A code works once
  check (permissions <@ '{view,review,money,chain,security}'),
  check ((disabled_at is null) = (disabled_by is null)),
  constraint operators_admitted check ((admitted_by is null) = (admitted_at is null)),
  constraint operators_admitted_by_two check (admitted_by <> proposed_by)
);
create unique index operators_by_name on operators (lower(name));
alter table tenants add constraint tenants_operator foreign key (operator_id) references operators;

-- API processes cache what an operator's credentials may do with the tenant. They read both again after a change.
create function operators_move_access() returns trigger language plpgsql as $$
begin
  update tenants set access_version = access_version where operator_id = new.id;
  return null;
end $$;
create trigger operators_move_access after update of disabled_at, permissions on operators
  for each row execute function operators_move_access();
-- Whoever adds himself at the installation decides nothing before his admission, but for the first operator.
create function operators_join() returns trigger language plpgsql as $$
begin
  if not is_owner(current_user) and (new.proposed_by <> new.created_by or new.created_by = 'installation' and exists (select from operators)) then
    raise exception 'only the first operator is the installation''s' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger operators_join before insert on operators for each row execute function operators_join();
create trigger operators_use_code before update of totp_step on operators
  for each row when (new.totp_secret is not distinct from old.totp_secret and coalesce(new.totp_step, 0) < old.totp_step)
  execute function refuse_change('a code works once');
create trigger operators_stay before update on operators
  for each row when ((old.admitted_at is not null and (new.admitted_at, new.admitted_by) is distinct from (old.admitted_at, old.admitted_by))
    or (old.disabled_at is not null and (new.disabled_at, new.disabled_by) is distinct from (old.disabled_at, old.disabled_by)))
  execute function refuse_change('an operator stays admitted, and stays disabled');

-- One-time links, by which an invited operator sets what he signs in by, or an operator a new code generator. Times are of
-- the machine, as those of sessions.
create table operator_links (
  token_hash  bytea primary key,
  purpose     text not null check (purpose in ('invitation', 'code_generator')),
  operator_id id not null,  -- of an invitation: the id that the operator will have
  name        text not null,
  permissions text[] not null check (permissions <@ '{view,review,money,chain,security}'),
  created_by  text not null,  -- who invited the operator, or approved the reset
  totp_secret bytea not null,  -- of the new code generator, sealed under the operator's id
  failures    int not null default 0,  -- wrong secrets and codes
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  used_at     timestamptz(3)
);
create index operator_links_open on operator_links (expires_at) where used_at is null;

create trigger operator_links_end before update on operator_links
  for each row when (new.expires_at > old.expires_at or new.failures < old.failures or old.used_at is not null)
  execute function refuse_change('a link is used once, and never opened again');

-- Each change of an operator's permissions. Rows are only added.
create table operator_rights (
  number      bigint generated always as identity primary key,
  operator_id id not null references operators,
  permissions text[] not null,
  given_by    text not null,
  approval_id id unique references approvals,  -- null: one operator decided alone, in the sandbox
  at          timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
);
create index operator_rights_of_operator on operator_rights (operator_id, number);

-- Who is told once an hour by mail of what waits. Without a row, an operator is not.
create table operator_mails (
  operator_id id primary key references operators,
  address     bytea not null,  -- sealed under the id
  mailed_for  timestamptz(3)  -- the hour that a mail was last sent for
);

-- Sessions of operators at the desk. Times are of the machine, because the sandbox's clock may be moved.
create table desk_sessions (
  id          id primary key,
  operator_id id not null references operators,
  token_hash  bytea not null unique,
  transport   text not null check (transport in ('bearer', 'cookie')),
  address     text not null,  -- from which it was begun
  created_at  timestamptz(3) not null,
  seen_at     timestamptz(3) not null,  -- of the last request, to within some seconds
  ended_at    timestamptz(3)
);
create index desk_sessions_of_operator on desk_sessions (operator_id, id);
create index desk_sessions_open on desk_sessions (created_at, id) where ended_at is null;
create trigger desk_sessions_end before update on desk_sessions
  for each row when (old.ended_at is not null and new.ended_at is distinct from old.ended_at) execute function refuse_change('a session that has ended stays ended');

-- Failures to sign in, in a row, by name and address. Rows older than a day count no more and are deleted.
create table sign_in_failures (
  name      text not null,  -- as given, in lower case. It may be no operator's
  address   text not null,
  failures  int not null,
  failed_at timestamptz(3) not null,
  primary key (name, address)
);
create index sign_in_failures_by_time on sign_in_failures (failed_at);

-- What operators may do, with the owner's rights. The transaction of a decision presents the proof of its session as
-- set_config('cardwright.session', <hex>, true). The owner need not present one, because the owner could write the rows by hand.

create function presented_operator() returns setof operators language sql stable set search_path = public, pg_temp as $$
  select o.* from desk_sessions s join operators o on o.id = s.operator_id
   where s.token_hash = stored_proof(decode(coalesce(current_setting('cardwright.session', true), ''), 'hex'))
     and s.ended_at is null and s.created_at > clock_timestamp() - interval '12 hours'
     and o.disabled_at is null and (o.admitted_at is not null or o.created_by = 'installation')
$$;

-- Requires that the operator presents a live session. permission null: any operator's.
create function assert_presented(p_actor text, p_permission text) returns void language plpgsql stable set search_path = public, pg_temp as $$
begin
  if is_owner(session_user) and coalesce(current_setting('cardwright.session', true), '') = '' then return; end if;
  if not exists (select from presented_operator() o
                  where 'operator:' || o.name = p_actor and (p_permission is null or p_permission = any (o.permissions))) then
    raise exception '% has not presented a live session', p_actor using errcode = 'insufficient_privilege';
  end if;
end $$;

-- Whether one of two operators has invited the other, or somebody who did so in turn. Both names may then be of one person.
create function is_one_hand(p_one text, p_other text) returns boolean language sql stable set search_path = public, pg_temp as $$
  with recursive invited(start, actor) as (
    select * from (values (p_one, p_one), (p_other, p_other)) both_names
    union
    select i.start, o.created_by from invited i join operators o on 'operator:' || o.name = i.actor where o.created_by like 'operator:%'
  )
  select exists (select from invited where start = p_one and actor = p_other)
      or exists (select from invited where start = p_other and actor = p_one)
$$;

-- Begins a session. p_secret_hash: the stored proof of the same secret under the present version of the key, which replaces an earlier one.
create function begin_session(p_id text, p_operator text, p_secret bytea, p_secret_hash bytea, p_token_hash bytea, p_transport text, p_address text, p_at timestamptz)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  if not exists (select from operators where id = p_operator and secret_hash = stored_proof(p_secret) and disabled_at is null
                    and (admitted_at is not null or created_by = 'installation')) then
    raise exception 'the secret of the operator was not presented' using errcode = 'insufficient_privilege';
  end if;
  update operators set secret_hash = p_secret_hash where id = p_operator and secret_hash <> p_secret_hash;
  insert into desk_sessions (id, operator_id, token_hash, transport, address, created_at, seen_at)
  values (p_id, p_operator, p_token_hash, p_transport, p_address, p_at, p_at);
end $$;
revoke execute on function begin_session from public;

-- Locks an approval to the end of the transaction, which takes a right to change it.
create function hold_approval(p_id text) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from approvals where id = p_id for no key update;
end $$;
revoke execute on function hold_approval from public;

-- Stores another operator's decision on an approval. The first of two approvals leaves it pending.
create function decide_approval(p_id text, p_status text, p_note text, p_by text, p_at timestamptz)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_approval approvals;
begin
  select * into v_approval from approvals where id = p_id and status = 'pending' for no key update;
  if not found then raise exception 'no such approval is pending' using errcode = 'integrity_constraint_violation'; end if;
  -- Whoever rejects stops something, so any operator may.
  perform assert_presented(p_by, case when p_status = 'approved' then v_approval.permission end);
  if p_status = 'approved' and (is_one_hand(p_by, v_approval.requested_by) or is_one_hand(p_by, v_approval.first_by)) then
    raise exception 'another operator must approve it' using errcode = 'integrity_constraint_violation';
  end if;
  if p_status = 'approved' and v_approval.needs = 2 and v_approval.first_by is null then
    update approvals set first_by = p_by, first_at = p_at where id = p_id;
  else
    update approvals set status = p_status, note = p_note, decided_by = p_by, decided_at = p_at where id = p_id;
  end if;
end $$;
revoke execute on function decide_approval from public;

-- The newest approval about a subject, where this operator has given it. Permissions are given by it once.
create function approved_now(p_kind text, p_subject text, p_by text) returns approvals language sql stable set search_path = public, pg_temp as $$
  select a.* from approvals a
   where a.kind = p_kind and a.subject = p_subject and a.status = 'approved' and a.decided_by = p_by
     and a.decided_at = (select max(decided_at) from approvals where kind = p_kind and subject = p_subject and status = 'approved')
     and not exists (select from operator_rights r where r.approval_id = a.id)
   limit 1
$$;

-- Gives an operator these permissions. Under dual control two operators have decided it.
create function permit_operator(p_id text, p_permissions text[], p_by text)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_approval approvals := approved_now('operator.permit', p_id, p_by);
begin
  perform assert_presented(p_by, 'security');
  if v_approval.terms -> 'permissions' is distinct from to_jsonb(p_permissions) then
    if not is_owner(session_user) and not exists (select from installation_settings where name = 'dual_control' and value = 'off') then
      raise exception 'another operator must approve these permissions' using errcode = 'insufficient_privilege';
    end if;
    v_approval := null;
  end if;
  insert into operator_rights (operator_id, permissions, given_by, approval_id) values (p_id, p_permissions, p_by, v_approval.id);
  update operators set permissions = p_permissions where id = p_id;
end $$;
revoke execute on function permit_operator from public;

-- Admits an operator, or counts as the first of two who do. One alone admits where nobody of another hand decides.
create function admit_operator(p_id text, p_by text, p_at timestamptz)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_operator operators;
  v_first text;
begin
  perform assert_presented(p_by, 'security');
  perform pg_advisory_xact_lock(hashtextextended('operators', 0));
  select * into v_operator from operators
   where id = p_id and disabled_at is null and admitted_at is null and created_by <> 'installation';
  if not found or is_one_hand(p_by, v_operator.created_by) then
    raise exception 'another operator must admit this one' using errcode = 'integrity_constraint_violation';
  end if;
  select 'operator:' || o.name into v_first from operators o
   where 'operator:' || o.name = v_operator.proposed_by and o.disabled_at is null and (o.admitted_at is not null or o.created_by = 'installation');
  if not exists (select from operators o
                  where o.disabled_at is null and (o.admitted_at is not null or o.created_by = 'installation')
                    and not is_one_hand('operator:' || o.name, p_by)) then
    update operators set proposed_by = null, admitted_by = p_by, admitted_at = p_at where id = p_id;
  elsif v_first is null then
    update operators set proposed_by = p_by where id = p_id;
  elsif is_one_hand(v_first, p_by) then
    raise exception 'another operator must admit this one' using errcode = 'integrity_constraint_violation';
  else
    update operators set admitted_by = p_by, admitted_at = p_at where id = p_id;
  end if;
end $$;
revoke execute on function admit_operator from public;

create function disable_operator(p_id text, p_by text, p_reason text, p_at timestamptz)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform assert_presented(p_by, 'security');
  update operators set disabled_at = p_at, disabled_by = p_by, disabled_reason = p_reason where id = p_id and disabled_at is null;
end $$;
revoke execute on function disable_operator from public;

-- Gives out a link. Two operators have decided on a new code generator.
create function give_link(p_token_hash bytea, p_purpose text, p_operator text, p_name text, p_permissions text[], p_by text, p_totp bytea,
    p_at timestamptz, p_expires_at timestamptz)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform assert_presented(p_by, 'security');
  if p_purpose = 'code_generator' and not is_owner(session_user) and (approved_now('operator.reset-code', p_operator, p_by)).id is null then
    raise exception 'another operator must approve a new code generator' using errcode = 'insufficient_privilege';
  end if;
  insert into operator_links (token_hash, purpose, operator_id, name, permissions, created_by, totp_secret, created_at, expires_at)
  values (p_token_hash, p_purpose, p_operator, p_name, p_permissions, p_by, p_totp, p_at, p_expires_at);
end $$;
revoke execute on function give_link from public;

-- Uses a link once. An invitation makes an operator with this secret. A new code generator takes the operator's present secret.
-- Returns false where another operator has the secret.
create function use_link(p_token bytea, p_secret bytea, p_step bigint, p_at timestamptz)
  returns boolean language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  v_link operator_links;
begin
  update operator_links set used_at = p_at
   where token_hash = stored_proof(p_token) and used_at is null and failures < 10 and expires_at > clock_timestamp()
  returning * into v_link;
  if not found then raise exception 'there is no such link' using errcode = 'insufficient_privilege'; end if;
  if v_link.purpose = 'invitation' then
    insert into operators (id, name, secret_hash, created_by, proposed_by, permissions, totp_secret, totp_step)
    values (v_link.operator_id, v_link.name, stored_proof(p_secret), v_link.created_by, v_link.created_by, v_link.permissions,
            v_link.totp_secret, p_step)
    on conflict do nothing;
  else
    update operators set totp_secret = v_link.totp_secret, totp_step = p_step
     where id = v_link.operator_id and secret_hash = stored_proof(p_secret);
  end if;
  return found;
end $$;
revoke execute on function use_link from public;

-- The sandbox's own operator. The runtime role may call it in a sandbox only.
create function ensure_demo_operator(p_id text, p_secret_hash bytea)
  returns void language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  update operators set secret_hash = p_secret_hash where name = 'demo' and created_by = 'installation';
  if not found then insert into operators (id, name, secret_hash, created_by) values (p_id, 'demo', p_secret_hash, 'installation'); end if;
end $$;
revoke execute on function ensure_demo_operator from public;

-- An approval of money names an operator who presents his session. In live, the rest of a new destination ends by the clock.
create function transfer_decisions_guard() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.kind = 'approve' then
    perform assert_presented(new.decided_by, 'money');
  elsif not is_sandbox(session_user)
    and coalesce((select (terms -> 'rest' ->> 'until')::timestamptz from transfers where id = new.transfer_id), 'infinity') > product_now() then
    raise exception 'the destination rests' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger transfer_decisions_guard before insert on transfer_decisions
  for each row when (new.kind in ('approve', 'rested')) execute function transfer_decisions_guard();
