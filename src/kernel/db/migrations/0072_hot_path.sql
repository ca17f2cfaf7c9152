-- Plans of the hot path must not depend on when they were made. A plan that is cached while a table is small, or that
-- expects a hundred rows of a list of ten, scans the whole table at every posting once it has grown: these look each row
-- up by its key, always.
alter function ledger_write(json, json, timestamptz) set enable_hashjoin = off;
alter function ledger_write(json, json, timestamptz) set enable_mergejoin = off;

-- The card of an authorization is locked, and so read, by whoever writes one; asking again cost a tenth of the statement.
alter table authorizations drop constraint authorizations_card_id_fkey;
