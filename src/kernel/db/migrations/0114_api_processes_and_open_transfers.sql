-- The API processes that serve now: each writes its row every few seconds, and takes its share of the tenants' rate limits.
create table api_processes (
  id      text primary key,
  beat_at timestamptz not null
);

-- Transfers that wait for somebody, for the metrics of what is open: few of all that there are.
create index transfers_open on transfers (kind, status, created_at)
  where status in ('created', 'awaiting_payment', 'pending', 'requires_action', 'pending_approval', 'processing', 'sent',
                   'manual_review', 'received', 'recalled', 'suspended');
