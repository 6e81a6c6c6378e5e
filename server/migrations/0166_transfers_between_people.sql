-- An app's list has the transfers that it made between people (D-96). Only those cost this index. The last of its version, since nothing is
-- spent while it is built.
create index transfers_between_people on transfers (app_id, seq) where kind = 'transfer' and app_id is not null;
