-- The part of the person that a report is about (D-165); null for a message and for the whole person. One reporter may report several.
alter table reports add column part text;
drop index reports_of_reporter;
create unique index reports_of_reporter on reports (reporter_id, case_id, coalesce(part, ''));
create index reports_by_reporter on reports (reporter_id, id);
