-- A channel keeps its ref_id as it was sent: names that differ only in masked words are two channels (D-72, D-124). Null for the
-- lobby, and for a channel that version 0.2 has opened until `social.mask_channel_names` fills it.
alter table channels add column shown_ref_id text;
create index channels_without_shown_name on channels (id) where ref_id is not null and shown_ref_id is null;
