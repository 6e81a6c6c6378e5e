import { Closers, startBenchPostgres } from './lib/world.ts'
import { table, type Figure } from './lib/figure.ts'
import { benchSpend } from './spend.ts'

const closers = new Closers()
try {
  const postgres = await startBenchPostgres(closers)
  const figures: Figure[] = [await benchSpend(closers, postgres, 1, 12), await benchSpend(closers, postgres, 1000, 2)]
  process.stdout.write(`${table(figures)}\n`)
} finally {
  await closers.closeAll()
}
