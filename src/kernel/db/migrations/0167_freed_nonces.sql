-- What was given up because no node had it may be in a block after all: it is looked for by its sender, whenever that gets a nonce.
create index chain_nonces_freed on chain_nonces (chain, address, nonce)
  where released_at is not null and settled_at is null and hash is not null;
