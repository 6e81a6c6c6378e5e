// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { EventStream } from '../event-stream.ts'
import type { CallOptions, StreamOptions } from '../options.ts'
import type { CheckedDomain, DeployLogEntry, DeployRelease, DeployTier, Deployment, DeploymentDomain, DeploymentState, OutputLine, ReleasedDeployment, ReplicaUsage, RequestsPoint } from './resources.ts'

/** What an app may call by itself, and for its owner. */
export interface TokenOrAppCalls {
  /**
   * The app’s deployments that are not destroyed
   *
   * Of the app of the token, or of the client. A token must be that of the app’s owner.
   *
   * `GET /api/deploy/apps`. Refuses with `not_app_owner`.
   */
  readonly listDeployments: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** All of them, newest first */
    deployments: Deployment[]
  }>

  /**
   * Host a container for the app
   *
   * Send `subdomain` or `name`, or both with the same value. The answer comes before the container runs: poll the
   * status until it says `running`.
   *
   * `POST /api/deploy/apps`. Refuses with `not_app_owner`, `subdomain_taken`, `image_not_allowed`,
   * `insufficient_points`, `container_engine_unavailable`.
   */
  readonly createDeployment: (input: {
    /** The name under which the deployment is reached: 1 to 32 small letters, digits and inner hyphens */
    subdomain?: string | undefined
    /** The same as `subdomain`; send one of them */
    name?: string | undefined
    /** The image with its registry, and a tag or digest; `GET /api/deploy/availability` tells the registries */
    image: string
    /** The `slug` of a deploy tier, which sets limits and price */
    tier: string
    /** The port on which the container answers HTTP; it gets the number as `PORT` */
    port?: number | undefined
    /** The environment, at most 50 texts by name; kept encrypted and never returned */
    env_vars?: Record<string, string> | undefined
    /** A domain of your own, where the tier allows one; it is routed once a TXT record proves it */
    custom_domain?: string | undefined
    /** How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each */
    replicas?: number | undefined
  }, options?: CallOptions) => Promise<Deployment>

  /**
   * One deployment
   *
   * A destroyed one, and one of another app, is 404.
   *
   * `GET /api/deploy/apps/{id}`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly getDeployment: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<Deployment>

  /**
   * Change image, tier, port, domain, environment or replicas of a deployment
   *
   * Makes a release of what is sent and of what stays. A new container has to answer before it serves, so no
   * request is lost; where it does not come up, the deployment stays as it was, and the release says why. Of
   * changes in quick succession the last one wins. A stopped deployment stays so, and starts with the change. What
   * is no difference makes no release: a tag that names another image now is fetched by a restart. A change of
   * `replicas` alone leaves the containers that run as they are. The call waits for the outcome, which `release`
   * tells: `pending` where it takes longer. A body without any field of a deployment is 422.
   *
   * `PATCH /api/deploy/apps/{id}`. Refuses with `not_app_owner`, `not_found`, `not_allowed_now`, `suspended`,
   * `nothing_to_change`, `image_not_allowed`, `insufficient_points`.
   */
  readonly changeDeployment: (input: {
    /** The id of the deployment */
    id: string
    /** Wait for the outcome for as many seconds at most; 5 by default */
    wait?: number | undefined
    /** The image with its registry, and a tag or digest; `GET /api/deploy/availability` tells the registries */
    image?: string | undefined
    /** The `slug` of a deploy tier, which sets limits and price */
    tier?: string | undefined
    /** The port on which the container answers HTTP */
    port?: number | undefined
    /** The whole environment, in place of what there is; kept encrypted and never returned */
    env_vars?: Record<string, string> | undefined
    /** Variables to add or change; all others stay */
    env_set?: Record<string, string> | undefined
    /** Names of variables to take away; one that is not there is none */
    env_unset?: string[] | undefined
    /** A domain of your own, or null for none */
    custom_domain?: string | null | undefined
    /** How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each */
    replicas?: number | undefined
  }, options?: CallOptions) => Promise<ReleasedDeployment>

  /**
   * Destroy a deployment and its container for good; repeating it answers alike
   *
   * Its name stays with the owner for 30 days. The answer says that it is being removed until it is. What the
   * container wrote to its disk is gone with it; its output can be read no more, and is deleted after 7 days.
   *
   * `DELETE /api/deploy/apps/{id}`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly destroyDeployment: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The id of the deployment */
    id: string
    /** What was done, as a sentence for people */
    message: string
  }>

  /**
   * The few fields to poll while a deployment changes
   *
   * Once every two seconds stays within the limit. `running` means that the port has answered.
   *
   * `GET /api/deploy/apps/{id}/status`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly getDeploymentStatus: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<DeploymentState>

  /**
   * What a deployment was made of over time, and what became of it
   *
   * Each create, change and roll back makes a release; a restart starts the same one anew.
   *
   * `GET /api/deploy/apps/{id}/releases`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly listDeploymentReleases: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The newest first; 50 are kept */
    releases: DeployRelease[]
  }>

  /**
   * Go back to an earlier release
   *
   * Makes a release with the image, tier, port, domain, environment and replicas of an earlier one, the image by
   * the digest that served then, and rolls it out like a change. Without `release_id` it is the last one before the
   * present one that served; where there is none, the answer is 409.
   *
   * `POST /api/deploy/apps/{id}/rollback`. Refuses with `not_app_owner`, `not_found`, `not_allowed_now`,
   * `suspended`, `image_not_allowed`, `insufficient_points`.
   */
  readonly rollBackDeployment: (input: {
    /** The id of the deployment */
    id: string
    /** Wait for the outcome for as many seconds at most; 5 by default */
    wait?: number | undefined
    /** The release to go back to; the last good one before by default */
    release_id?: string | undefined
  }, options?: CallOptions) => Promise<ReleasedDeployment>

  /**
   * What was done to a deployment, by whom and with what result
   *
   * At most the 1,000 newest entries. What the program itself wrote is its output.
   *
   * `GET /api/deploy/apps/{id}/logs`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly listDeployLog: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The entries, newest first */
    logs: DeployLogEntry[]
  }>

  /**
   * Start the container anew, with the image that its tag names now
   *
   * Waits a few seconds for the engine and answers with what is so then: poll the status until it says `running`.
   *
   * `POST /api/deploy/apps/{id}/restart`. Refuses with `not_app_owner`, `not_found`, `not_allowed_now`,
   * `suspended`.
   */
  readonly restartDeployment: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<Deployment>

  /**
   * Stop the container; a restart brings it back
   *
   * Waits a few seconds for the engine and answers with what is so then. The price is due all the same.
   *
   * `POST /api/deploy/apps/{id}/stop`. Refuses with `not_app_owner`, `not_found`, `not_allowed_now`.
   */
  readonly stopDeployment: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<Deployment>

  /**
   * The tiers to choose from: limits and prices
   *
   * Those that are offered now. Prices count where the installation charges for hosting.
   *
   * `GET /api/deploy/tiers`. Refuses with `not_app_owner`.
   */
  readonly listDeployTiers: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** All that are offered */
    tiers: DeployTier[]
  }>

  /**
   * What a deployment used of memory, processor and network, and the requests for it
   *
   * Measured every 15 seconds. `24h` has points of 5 minutes, at most 288, the last one still growing; `30d` points
   * of 3 hours, at most 240, of hours that are over. While one container replaces another, the one that serves is
   * measured. On a Swarm only containers on the node that the platform is connected to can be measured; requests
   * are counted always. WebSockets are not counted.
   *
   * `GET /api/deploy/apps/{id}/metrics`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly getDeploymentMetrics: (input: {
    /** The id of the deployment */
    id: string
    /** How far back */
    period?: '24h' | '30d' | undefined
  }, options?: CallOptions) => Promise<{
    /** The period that was asked for */
    period: '24h' | '30d'
    /** When the first interval begins */
    from: string
    /** When the last interval ends */
    to: string
    /** How long the interval of a point is */
    step_seconds: number
    /** How much memory the container may use, in MB */
    memory_limit_mb: number
    /** How much processor time it may use, in thousandths of a core */
    cpu_limit_millicores: number
    /** By container; empty where nothing was measured */
    replicas: ReplicaUsage[]
    /** The oldest first; none for intervals without requests */
    requests: RequestsPoint[]
  }>

  /**
   * The custom domain, and the TXT record that proves it yours
   *
   * Publish a TXT record of that name and value and leave it there: it is looked for regularly. A deployment
   * without a custom domain has none of this: 404.
   *
   * `GET /api/deploy/apps/{id}/domain`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly getDeploymentDomain: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<DeploymentDomain>

  /**
   * Look for the TXT record now; as long as it is not found, verified_at is null
   *
   * It is looked for every ten minutes anyway. A record that DNS still caches may take longer: `found` is what DNS
   * answers now.
   *
   * `POST /api/deploy/apps/{id}/domain/verify`. Refuses with `not_app_owner`, `not_found`, `domain_taken`.
   */
  readonly verifyDeploymentDomain: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<CheckedDomain>

  /**
   * The last lines that the containers wrote, oldest first
   *
   * Of all replicas, and of releases and restarts before, also while it is stopped or its host is out of reach. New
   * lines are in it after a second or two. Longer lines are cut. Kept are 50,000 lines or 8 MB, for 30 days at
   * most; the oldest go first.
   *
   * `GET /api/deploy/apps/{id}/output`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly getDeploymentOutput: (input: {
    /** The id of the deployment */
    id: string
    /** How many of the last lines */
    tail?: number | undefined
  }, options?: CallOptions) => Promise<{
    /** The lines, oldest first */
    lines: OutputLine[]
  }>

  /**
   * Search in the output that is kept, newest line first
   *
   * Without `q` it is all that is kept, in pages: so older lines are loaded. The `id` of any line serves as
   * `cursor`: the page then begins with the line before it.
   *
   * `GET /api/deploy/apps/{id}/output/search`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly searchDeploymentOutput: (input: {
    /** The id of the deployment */
    id: string
    /** Lines that hold this text, in large or small letters; all lines without it */
    q?: string | undefined
    /** Lines written at this time or later */
    from?: string | undefined
    /** Lines written before this time */
    to?: string | undefined
    /** Lines of this replica only */
    replica?: number | undefined
    /** How many lines a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: OutputLine[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * The last lines that the containers wrote, and then each new one
   *
   * Server-sent events: a `line` each, of all replicas, over restarts and releases, and `ended` when it is stopped
   * and wrote its last, or may no longer be watched with this token.
   *
   * `GET /api/deploy/apps/{id}/output/stream`. Refuses with `not_app_owner`, `not_found`.
   */
  readonly followDeploymentOutput: (input: {
    /** The id of the deployment */
    id: string
    /** How many of the last lines */
    tail?: number | undefined
  }, options?: StreamOptions) => EventStream<{ line: OutputLine; ended: Record<string, never> }>
}
