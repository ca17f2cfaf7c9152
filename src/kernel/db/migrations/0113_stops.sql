-- What the operator has stopped, why and since when. A row stands while its stop does; the audit log keeps those that were.
create table stops (
  kind       text not null,             -- tenant | user | card …
  subject    text collate "C" not null, -- the id, or the name, of what is stopped
  tenant_id  id,                        -- whose it is
  reason     text not null,
  stopped_by text not null,
  at         timestamptz(3) not null,
  primary key (kind, subject)
);
insert into stops (kind, subject, tenant_id, reason, stopped_by, at)
select 'tenant', id, id, 'Disabled before reasons were kept.', 'operator', updated_at from tenants where status = 'disabled';

-- The operator's block of a user, beside the client's own (`status`): the user is blocked while either stands.
alter table users add column operator_blocked boolean not null default false;
