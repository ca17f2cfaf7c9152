-- What the sandbox has set up for itself: the demo client and the operator whose credentials stand in
-- credentials.json. Their names may be changed; here stands which tenants they are.
create table demo_tenants (
  purpose   text primary key check (purpose in ('client', 'admin')),
  tenant_id id not null references tenants
);
