/** More than any table gains between two runs; a run that meets such a backlog ends all the same. */
const batches_max = 100

/**
 * Repeats a statement that takes up to `rows_max` rows until it finds fewer, a bounded number of times: what is left then
 * waits for the next run. Each round commits by itself, so none holds its locks for long.
 */
export async function inBatches(rows_max: number, runBatch: () => Promise<number>) {
  for (let batches_left = batches_max; batches_left > 0; batches_left--) if ((await runBatch()) < rows_max) return
}
