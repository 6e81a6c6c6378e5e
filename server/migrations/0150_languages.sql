-- The language of mails to a person; null: English (D-125).
alter table users add column language text;
