-- Copies of reported pictures for the admin who decides (D-109, D-165): the person may change the picture meanwhile. They are deleted with
-- the decision of the case.
create table reported_pictures (
  case_id uuid not null,
  picture_id uuid not null,
  content bytea not null,
  primary key (case_id, picture_id)
);
