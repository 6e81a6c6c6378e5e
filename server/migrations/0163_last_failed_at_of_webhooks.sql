-- When an attempt of a webhook failed last, to within an hour: a failure long after it begins a new series (`failing_since`).
alter table webhooks add column last_failed_at timestamptz;
