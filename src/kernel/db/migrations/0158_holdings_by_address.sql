-- outside a transaction

-- What came to an address of a chain that no node is asked about, and what was swept off it: the difference is there, by the books.
create index concurrently if not exists transfers_on_chain_by_address on transfers ((terms->>'chain'), (terms->>'address'))
  where kind = 'chain_deposit';
create index concurrently if not exists gas_operations_swept on gas_operations (chain, from_address)
  where type = 'sweep' and executed_at is not null;
