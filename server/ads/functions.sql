create or replace trigger ad_events_are_immutable before update or delete or truncate on ad_events
  for each statement execute function refuse_change();

-- Records a batch of events in order, in one transaction, and returns the payout rate of each event's campaign; null
-- for a refused event: its campaign is unknown, inactive, not started, ended more than `late_seconds` ago, or has no
-- impressions left. A refused event writes nothing, and the others of the batch are recorded. Lock order: campaigns by
-- id, so batches of several processes cannot deadlock. Counts are read after the lock, so no budget is exceeded.
create or replace function record_ad_events(
  moment timestamptz, late_seconds integer,
  ids uuid[], campaign_ids uuid[], event_types text[], surface_types text[], user_ids uuid[], app_ids uuid[]
) returns table (rate numeric)
language plpgsql as $$
begin
  perform 1 from campaigns where id = any(campaign_ids) order by id for no key update;
  return query
    with decided as (
      select e.*, c.payout_rate,
             c.active is true
               and (c.starts_at is null or c.starts_at <= moment)
               and (c.ends_at is null or c.ends_at > moment - late_seconds * interval '1 second')
               and (e.event_type = 'click' or c.max_impressions is null
                    or c.impressions + row_number() over (partition by e.campaign_id, e.event_type order by e.at)
                       <= c.max_impressions) as accepted
        from unnest(ids, campaign_ids, event_types, surface_types, user_ids, app_ids)
             with ordinality e(id, campaign_id, event_type, surface_type, user_id, app_id, at)
        left join campaigns c on c.id = e.campaign_id
    ), counted as (
      update campaigns c
         set impressions = c.impressions + n.impressions, clicks = c.clicks + n.clicks
        from (select d.campaign_id,
                     count(*) filter (where d.event_type = 'impression') as impressions,
                     count(*) filter (where d.event_type = 'click') as clicks
                from decided d where d.accepted group by d.campaign_id) n
       where c.id = n.campaign_id
    ), written as (
      insert into ad_events (id, campaign_id, event_type, payout_rate_snapshot, surface_type, user_id, app_id, inserted_at)
      select d.id, d.campaign_id, d.event_type, d.payout_rate, d.surface_type, d.user_id, d.app_id, moment
        from decided d
       where d.accepted
    )
    select case when d.accepted then d.payout_rate end from decided d order by d.at;
end $$;
