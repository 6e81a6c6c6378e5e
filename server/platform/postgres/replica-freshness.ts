/** A position of the primary's WAL, and what was true when it was read. */
export interface Sample {
  /** In bytes. */
  lsn: bigint
  /** Milliseconds of this process's clock. */
  at_ms: number
  /** The version of the invalidation bus. */
  version: number
}

/**
 * How old what a replica shows is, by positions of the primary's WAL that this process has read itself: once the replica has
 * replayed a position, it shows everything that was committed before that was read. So an idle primary is no lag, a replica that is
 * cut off or paused falls behind, and no clock of another machine matters.
 */
export class ReplicaFreshness {
  private samples: Sample[] = []
  private covered: Sample | undefined

  /** Notes a position that was read of the primary. */
  add(sample: Sample) {
    this.samples.push(sample)
  }

  /** Notes how far the replica has replayed. */
  replayed(lsn: bigint) {
    const at = this.samples.findLastIndex((sample) => sample.lsn <= lsn)
    if (at < 0) return
    this.covered = this.samples[at]
    this.samples = this.samples.slice(at)
  }

  /** Forgets everything: the replica may show another history. */
  forget() {
    this.samples = []
    this.covered = undefined
  }

  /** The newest moment of which the replica shows everything. */
  get newest(): Sample | undefined {
    return this.covered
  }

  /** By how much the replica was behind at the last sample; undefined while nothing is known. */
  lagMs() {
    const last = this.samples.at(-1)
    return this.covered && last ? last.at_ms - this.covered.at_ms : undefined
  }

  /** Drops samples that are older than this, except the newest covered one. */
  dropBefore(at_ms: number) {
    this.samples = this.samples.filter((sample) => sample === this.covered || sample.at_ms >= at_ms)
  }
}
