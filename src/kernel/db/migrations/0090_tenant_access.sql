-- API processes keep what they have read of a tenant and its secrets, and ask every moment whether it has moved: this number
-- says so. It moves with each change of the tenant's row (status, role, settings) and of its secrets, whoever makes it.
alter table tenants add column access_version bigint not null default 0;

create function tenants_move_access() returns trigger language plpgsql as $$
begin
  new.access_version := old.access_version + 1;
  return new;
end $$;
create trigger tenants_move_access before update on tenants for each row execute function tenants_move_access();

create function credentials_move_access() returns trigger language plpgsql as $$
begin
  -- The number itself is set by the trigger above.
  update tenants set access_version = access_version where id in (old.tenant_id, new.tenant_id);
  return null;
end $$;
create trigger credentials_move_access after insert or update or delete on credentials
  for each row execute function credentials_move_access();
