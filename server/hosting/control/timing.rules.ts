/** Deadlines and limits of hosting's control loop. Settings and tests override some of them. */
export const default_timing = {
  /** A lease expires after this; it is renewed three times in that time. */
  lease_seconds: 10,
  /** Deadline of an observation of a host. */
  observe_seconds: 10,
  /** Deadline for pulling an image and starting its container. */
  pull_seconds: 600,
  /** From the start of a program until its port must answer. */
  start_seconds: 60,
  /** From the start of a rollout until it must have ended, whatever the cause of the delay. */
  rollout_seconds: 900,
  /** How long a replaced generation may finish its requests. */
  drain_seconds: 10,
  /** This many restarts within the window are a crash loop. */
  crash_restarts: 5,
  crash_window_seconds: 300,
  /** This many starts that the engine failed to carry out are a final failure. */
  start_failures: 5,
  /** Between two drift checks. */
  drift_seconds: 3,
  /** Between two polls of a host's `info`, and their deadline. */
  host_seconds: 5,
  /** Between two health probes of a deployment. */
  health_seconds: 30,
  /** How long a host with unreachable ports counts as lost while no port is left to probe. */
  silent_seconds: 300,
  /** Between two measurements of the containers' resource use. */
  sample_seconds: 15,
  /** Between two writes of the containers' output. */
  output_seconds: 1,
  /** Minimum age of an orphaned container before its removal. */
  orphan_seconds: 600,
  /** Between two collections of images, and how long an image must be unused to be collected. */
  image_collection_seconds: 600,
  unused_image_seconds: 3600,
  /** After this long without its host, an instance gets no requests if others serve. It is not placed elsewhere. */
  leave_lost_seconds: 30,
  /** After this long without its host a deployment is placed on another; 0: never. */
  replace_lost_seconds: 0,
  /** Between two probes of a host's isolation: while it is isolated, and at most while it is not (starting at a few seconds). */
  isolation_seconds: 600,
  isolation_again_seconds: 60,
  /** The deadline of a probe, and the interval at which due probes are searched. */
  isolation_probe_seconds: 90,
  isolation_poll_seconds: 5,
  /** A host that has been in no worker's settings for this long is retired. */
  retired_seconds: 3600,
}
export type Timing = typeof default_timing
