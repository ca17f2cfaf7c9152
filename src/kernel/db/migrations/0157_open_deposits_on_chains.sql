-- outside a transaction

-- As transfers_open_of_all_kinds, with what deposits on chains wait in; the release before counts by the other.
create index concurrently if not exists transfers_open_and_confirming on transfers (kind, status, created_at)
  where status in ('created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing', 'sent',
                   'manual_review', 'received', 'recalled', 'suspended', 'executing', 'awaiting_settlement', 'confirming');
