-- replaces: 0123_ad_events_by_user.sql

-- Ads that a person saw, for the export (D-106).
create index ad_events_user on ad_events (user_id, inserted_at, id);
