-- What the operator has switched off: a capability, everywhere or for one tenant, or a party. A row a switching off, kept when it
-- is switched on again. Processes read the open ones at most twice a second.
create table switches (
  id         bigint generated always as identity primary key,
  kind       text not null check (kind in ('capability', 'party')),
  name       text not null,
  tenant_id  text,
  off_at     timestamptz(3) not null,
  off_by     text not null,
  off_reason text not null,
  on_at      timestamptz(3),
  on_by      text,
  on_reason  text,
  check (kind = 'capability' or tenant_id is null),
  check ((on_at is null) = (on_by is null) and (on_at is null) = (on_reason is null))
);
alter table switches add constraint switches_tenant_fkey foreign key (tenant_id) references tenants (id) not valid;
-- One open row a switch; the hot read is of these alone.
create unique index switches_off on switches (kind, name, coalesce(tenant_id, '')) where on_at is null;
