/** Deadlines and bounds of the work on deployments; tests and settings set some of them otherwise. */
export const default_timing = {
  /** A lease that is not renewed ends after this; it is renewed three times as often. */
  lease_seconds: 30,
  /** Longest wait for an answer to the question what a host runs. */
  observe_seconds: 10,
  /** Longest wait for an image and the start of what runs it. */
  pull_seconds: 600,
  /** From the start of the program until its port must answer. */
  start_seconds: 60,
  /** From the beginning of a rollout until it must have ended, whatever it waited for. */
  rollout_seconds: 900,
  /** How long a replaced generation may finish the requests that it has. */
  drain_seconds: 10,
  /** As many restarts within the window are a crash loop. */
  crash_restarts: 5,
  crash_window_seconds: 300,
  /** As many starts that the engine itself could not carry out are a final failure. */
  start_failures: 5,
  drift_seconds: 3,
  host_seconds: 5,
  /** Between two looks at whether a port still answers. */
  health_seconds: 30,
  /** What nobody claims must be this old before it is taken away. */
  orphan_seconds: 600,
  /** Between two collections of images, and how old an image must be to be collected. */
  image_collection_seconds: 600,
  unused_image_seconds: 3600,
  /** After this long without its host a workload is placed elsewhere; 0: never. */
  replace_lost_seconds: 0,
  /** After this long in no worker's settings a host is given up. */
  retired_seconds: 3600,
}
export type Timing = typeof default_timing
