/** A position of the primary's WAL, with the state when it was read. */
export interface Sample {
  /** In bytes. */
  lsn: bigint
  /** Milliseconds of this process's clock. */
  at_ms: number
  /** The version of the invalidation bus. */
  version: number
}

/**
 * The age of a replica's data. It is computed from positions of the primary's WAL that this process has read: once the replica has replayed
 * a position, it shows everything that was committed before the position was read. An idle primary therefore causes no lag, a replica that
 * is cut off or paused falls behind, and clocks of other machines do not matter.
 */
export class ReplicaFreshness {
  private samples: Sample[] = []
  private covered: Sample | undefined

  /** Records a position of the primary. */
  add(sample: Sample) {
    this.samples.push(sample)
  }

  /** Records how far the replica has replayed. */
  replayed(lsn: bigint) {
    const at = this.samples.findLastIndex((sample) => sample.lsn <= lsn)
    if (at < 0) return
    this.covered = this.samples[at]
    this.samples = this.samples.slice(at)
  }

  /** Forgets everything, because the replica may show another history. */
  forget() {
    this.samples = []
    this.covered = undefined
  }

  /** The newest moment up to which the replica shows everything. */
  get newest(): Sample | undefined {
    return this.covered
  }

  /** The replica's lag at the last sample; undefined if unknown. */
  lagMs() {
    const last = this.samples.at(-1)
    return this.covered && last ? last.at_ms - this.covered.at_ms : undefined
  }

  /** Drops older samples, except the newest one that the replica has reached. */
  dropBefore(at_ms: number) {
    this.samples = this.samples.filter((sample) => sample === this.covered || sample.at_ms >= at_ms)
  }
}
