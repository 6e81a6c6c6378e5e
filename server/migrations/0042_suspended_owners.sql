-- Deployments of a suspended owner rest until the owner is back (D-88). An admin's own suspension comes before that, and that
-- before an unpaid one: `owner_suspended` and `billing_status` say what is left when the one in force is lifted.
alter table deployments
  add column owner_suspended boolean not null default false,
  drop constraint deployments_suspended_by_check,
  add constraint deployments_suspended_by_check check (suspended_by in ('billing', 'admin', 'owner'));
create index deployments_owner on deployments (owner_id) where status <> 'destroyed';

with suspended as (
  update deployments d
     set owner_suspended = true,
         generation = case when d.suspended_by = 'admin' then d.generation else d.generation + 1 end,
         suspended_by = case when d.suspended_by = 'admin' then 'admin' else 'owner' end,
         next_attempt_at = least(d.next_attempt_at, now())
    from users u
   where u.id = d.owner_id and u.suspended_at is not null and d.status <> 'destroyed' and d.desired <> 'destroyed'
  returning d.id, d.generation, d.suspended_by
)
insert into deploy_logs (id, deployment_id, generation, action, status, details, inserted_at)
select gen_random_uuid(), id, generation, 'suspend', 'pending', '{"message": "The owner of this deployment is suspended."}', now()
  from suspended where suspended_by = 'owner';
