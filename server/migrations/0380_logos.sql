-- The pictures of people and of apps are kept alike (D-165): the owner is a person or an app.
alter table pictures rename column user_id to owner_id;
