create index teams_name on teams (lower(name) text_pattern_ops);
