-- Whether push messages to a device have the text of a direct message (D-160).
alter table notice_devices add column with_texts boolean not null default false;
