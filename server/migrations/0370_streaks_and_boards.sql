-- Days on which a person completed a step, in their time zone of that moment, for good (D-163).
create table learning_days (
  user_id uuid not null,
  day date not null,
  primary key (user_id, day)
);
insert into learning_days (user_id, day)
select distinct c.user_id, (at at time zone coalesce(u.time_zone, 'UTC'))::date
  from step_completions c join users u on u.id = c.user_id
       cross join unnest(array[c.first_completed_at, c.completed_at]) at
 where at is not null;

-- The place on the board of the path: whether others see it, how many of its steps were ever completed, and since when.
alter table learners
  add column is_listed boolean not null default false,
  add column steps_completed integer not null default 0,
  add column reached_at timestamptz;
update learners l
   set steps_completed = c.steps, reached_at = c.reached_at
  from (select user_id, count(*)::integer as steps, max(first_completed_at) as reached_at
          from step_completions group by user_id) c
 where c.user_id = l.user_id and l.started_at is not null;
create index learners_board on learners (path, steps_completed desc, reached_at, user_id) where is_listed and steps_completed > 0;
