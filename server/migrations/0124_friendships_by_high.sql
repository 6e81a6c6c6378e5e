-- All friendships of a person, ended ones too (D-106): the key begins with the lower id.
create index friendships_high on friendships (high_id);
