-- Workers and routers walk the deployments that are not destroyed page by page, however many were destroyed before.
create index deployments_live on deployments (id) where status <> 'destroyed';
