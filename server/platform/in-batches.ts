/** More than any table gains between two runs; it ends a run that meets a larger backlog. */
const batches_max = 100

/**
 * Repeats a statement that handles up to `rows_max` rows until it handles fewer, at most 100 times; the rest is left to the
 * next run. Each batch commits separately, so that none holds its locks for long.
 */
export async function inBatches(rows_max: number, runBatch: () => Promise<number>) {
  for (let batches_left = batches_max; batches_left > 0; batches_left--) if ((await runBatch()) < rows_max) return
}
