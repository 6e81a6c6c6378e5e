-- What a person wrote, for the export and for the erasure of who leaves (D-106).
create index messages_sender on messages (sender_id, id);
