-- Quotes that nobody has taken are forgotten some time after they have expired: found by this.
create index quotes_unused on quotes (expires_at) where used_by is null;
