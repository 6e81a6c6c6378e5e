/** More batches than any table needs between two runs. It ends a run with a larger backlog. */
const batches_max = 100

/**
 * Repeats a statement that handles up to `rows_max` rows until it handles fewer, at most 100 times; the next run does
 * the rest. Each batch commits separately, so that none holds its locks for long.
 */
export async function inBatches(rows_max: number, runBatch: () => Promise<number>) {
  for (let batches_left = batches_max; batches_left > 0; batches_left--) if ((await runBatch()) < rows_max) return
}
